package io.sluice.hadoop.files;

import java.io.IOException;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * Asks a file system for the rename that says what becomes of a file with the new name, which
 * Hadoop shows to subclasses alone. So it needs no second class for the scheme, and acts as the
 * user whom the file system was made for.
 *
 * <p>Thread contract, ownership: those of that file system. Failure: {@link
 * org.apache.hadoop.fs.FileAlreadyExistsException} where the name is taken and nothing may be
 * replaced.
 */
final class Renaming extends FilterFileSystem {
  private Renaming(FileSystem files) {
    super(files);
  }

  /** In one step where that file system does it in one. */
  static void rename(FileSystem files, Path from, Path to, Options.Rename... options)
      throws IOException {
    if (files instanceof ChecksumFileSystem) {
      // It hands this one rename on to the files alone, and leaves their checksums where they are.
      FileContext.getFileContext(files.getUri(), files.getConf()).rename(from, to, options);
    } else {
      new Renaming(files).rename(from, to, options);
    }
  }

  @Override
  @SuppressWarnings("deprecation") // there is no other way to be asked for it
  protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
    super.rename(from, to, options);
  }
}
