package io.sluice.hadoop.files;

import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.fs.SluiceFileSystem;
import io.sluice.node.wire.JobSecret;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The directory with the files' names and their secret. A user who may read the secret may read the
 * files: node services ask for a proof of it.
 *
 * <pre>
 * secret           32 hexadecimal digits: the id of the root | 32 bytes: the secret
 * files/           a record for each file
 * copies/          the copies of files
 * </pre>
 *
 * <p>Thread contract: immutable. Ownership: the file system below is Hadoop's, shared. Failure:
 * {@link IOException} of that one.
 */
final class FilesRoot {
  private static final FsPermission OWNER_DIRECTORY = new FsPermission((short) 0700);
  private static final FsPermission OWNER_FILE = new FsPermission((short) 0600);
  private static final String DEFAULT_NAME = ".sluice";
  private static final int ID_BYTES = 32;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final FileSystem base;
  private final Path files;
  private final Path copies;
  private final String id;
  private final JobSecret secret;

  private FilesRoot(FileSystem base, Path root, byte[] kept) {
    this.base = base;
    this.files = new Path(root, "files");
    this.copies = new Path(root, "copies");
    this.id = new String(kept, 0, ID_BYTES, StandardCharsets.US_ASCII);
    this.secret = new JobSecret(Arrays.copyOfRange(kept, ID_BYTES, kept.length));
  }

  /** Opens the root of the configuration, and makes it if it does not exist. */
  static FilesRoot open(Configuration conf) throws IOException {
    Path root = root(conf);
    FileSystem base = root.getFileSystem(conf);
    Path qualified = base.makeQualified(root);
    return new FilesRoot(base, qualified, secret(base, qualified));
  }

  /** Checks the scheme before anything is opened: a root on sluice: would open itself. */
  private static Path root(Configuration conf) throws IOException {
    String set = JobSettings.CLUSTER_ROOT.get(conf::getTrimmed);
    String scheme = set.isEmpty() ? null : new Path(set).toUri().getScheme();
    if (scheme == null) {
      scheme = FileSystem.getDefaultUri(conf).getScheme();
    }
    if (scheme.equals(SluiceFileSystem.SCHEME)) {
      throw elsewhere();
    }
    return set.isEmpty()
        ? new Path(FileSystem.get(conf).getHomeDirectory(), DEFAULT_NAME)
        : new Path(set);
  }

  private static IOException elsewhere() {
    return new IOException(
        "the names of sluice://cluster/ need a file system of another kind: set "
            + JobSettings.CLUSTER_ROOT.name()
            + " to a directory there, such as hdfs:///user/me/.sluice");
  }

  private static byte[] secret(FileSystem base, Path root) throws IOException {
    Path file = new Path(root, "secret");
    try {
      return read(base, file);
    } catch (FileNotFoundException e) {
      base.mkdirs(root, OWNER_DIRECTORY);
      base.mkdirs(new Path(root, "files"), OWNER_DIRECTORY);
      base.mkdirs(new Path(root, "copies"), OWNER_DIRECTORY);
      make(base, file);
      return read(base, file);
    }
  }

  private static byte[] read(FileSystem base, Path file) throws IOException {
    byte[] kept = new byte[ID_BYTES + SECRET_BYTES];
    try (FSDataInputStream in = base.open(file)) {
      in.readFully(kept);
    }
    return kept;
  }

  /** Makes the secret in one step. If several processes make one at once, the first one stays. */
  private static void make(FileSystem base, Path file) throws IOException {
    byte[] random = new byte[ID_BYTES / 2 + SECRET_BYTES];
    RANDOM.nextBytes(random);
    Path made = file.suffix("." + UUID.randomUUID());
    try (FSDataOutputStream out =
        base.create(
            made,
            OWNER_FILE,
            false,
            random.length,
            base.getDefaultReplication(made),
            base.getDefaultBlockSize(made),
            null)) {
      String id = HexFormat.of().formatHex(random, 0, ID_BYTES / 2);
      out.write(id.getBytes(StandardCharsets.US_ASCII));
      out.write(random, ID_BYTES / 2, SECRET_BYTES);
    }
    try {
      Renaming.rename(base, made, file);
    } catch (FileAlreadyExistsException e) {
      base.delete(made, false); // another process was quicker
    }
  }

  /** The file system that it lies on. */
  FileSystem base() {
    return base;
  }

  /** The directory of the records. */
  Path files() {
    return files;
  }

  /** Where the copy of a file lies. */
  Path copyOf(PooledFile file) {
    return new Path(copies, file.name());
  }

  /** The id of the root, which no other root has. */
  String id() {
    return id;
  }

  JobSecret secret() {
    return secret;
  }

  /**
   * Calls a file system's rename with options, which says what happens to a file with the new name.
   * Hadoop lets only subclasses call it. FileContext would need a second class for the scheme, and
   * would not act as the user of the file system.
   *
   * <p>Thread contract, ownership: those of that file system. Failure: {@link
   * org.apache.hadoop.fs.FileAlreadyExistsException} where the name is taken and nothing may be
   * replaced.
   */
  static final class Renaming extends FilterFileSystem {
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
}
