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
  private final URI uri;

  /** Made by Hadoop. */
  public SluiceFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, new SluiceFileSystem(), conf, SluiceFileSystem.SCHEME, false);
    URI root = super.getUri();
    this.uri =
        root.getAuthority() == null
            ? root
            : URI.create(root.getScheme() + "://" + root.getRawAuthority());
  }

  /** Without a path where there is an authority, as HDFS's: Hadoop's mounts append theirs to it. */
  @Override
  public URI getUri() {
    return uri;
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
