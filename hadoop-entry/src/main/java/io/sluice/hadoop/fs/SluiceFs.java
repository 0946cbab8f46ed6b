package io.sluice.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The same file system for {@link org.apache.hadoop.fs.FileContext}, as {@code
 * fs.AbstractFileSystem.sluice.impl} says; Java 8 bytecode as {@link SluiceFileSystem}.
 *
 * <p>Thread contract, ownership and failure: those of {@link SluiceFileSystem}.
 */
public final class SluiceFs extends DelegateToFileSystem {
  /** Made by Hadoop. */
  public SluiceFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, new SluiceFileSystem(), conf, SluiceFileSystem.SCHEME, false);
  }

  /** Without a path where there is an authority, as HDFS's: Hadoop's mounts append theirs to it. */
  @Override
  public URI getUri() {
    URI uri = super.getUri();
    return uri.getAuthority() == null
        ? uri
        : URI.create(uri.getScheme() + "://" + uri.getRawAuthority());
  }

  @Override
  public int getUriDefaultPort() {
    return -1; // there are none
  }

  @Override
  public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
    checkPath(from);
    checkPath(to);
    ((SluiceFileSystem) fsImpl).renameTo(from, to, overwrite);
  }
}
