package io.sluice.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * {@link SluiceFileSystem} for users of {@link org.apache.hadoop.fs.FileContext}, set by {@code
 * fs.AbstractFileSystem.sluice.impl}. It is Java 8 bytecode, too.
 *
 * <p>Thread contract, ownership and failure: those of {@link SluiceFileSystem}.
 */
public final class SluiceFs extends DelegateToFileSystem {
  private final URI uri;

  /** Called by Hadoop. */
  public SluiceFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, new SluiceFileSystem(), conf, SluiceFileSystem.SCHEME, false);
    URI root = super.getUri();
    this.uri =
        root.getAuthority() == null
            ? root
            : URI.create(root.getScheme() + "://" + root.getRawAuthority());
  }

  /**
   * The URI; without a path if it has an authority, as in HDFS, because Hadoop's mounts append a
   * path.
   */
  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public int getUriDefaultPort() {
    return -1; // it has no ports
  }

  @Override
  public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
    checkPath(from);
    checkPath(to);
    ((SluiceFileSystem) fsImpl).renameTo(from, to, overwrite);
  }
}
