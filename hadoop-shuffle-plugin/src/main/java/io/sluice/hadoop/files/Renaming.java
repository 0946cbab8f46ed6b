package io.sluice.hadoop.files;

import java.io.IOException;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * Calls a file system's rename with options, which says what happens to a file with the new name.
 * Hadoop lets only subclasses call it. FileContext would need a second class for the scheme, and
 * would not act as the user of the file system.
 *
 * <p>Thread contract, ownership: those of that file system. Failure: {@link
 * org.apache.hadoop.fs.FileAlreadyExistsException} where the name is taken and nothing may be
 * replaced.
 */
final class Renaming extends FilterFileSystem {
  private Renaming(FileSystem files) {
    super(files);
  }

  /** Renames in one step, if that file system does. */
  static void rename(FileSystem files, Path from, Path to, Options.Rename... options)
      throws IOException {
    if (files instanceof ChecksumFileSystem) {
      // Its rename with options moves the files alone, and leaves their checksums behind.
      FileContext.getFileContext(files.getUri(), files.getConf()).rename(from, to, options);
    } else {
      new Renaming(files).rename(from, to, options);
    }
  }

  @Override
  @SuppressWarnings("deprecation") // Hadoop has no other method for it
  protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
    super.rename(from, to, options);
  }
}
