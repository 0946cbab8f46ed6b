package io.sluice.memory.fs.behind;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/**
 * A directory of another file system in which the changes of a namespace are repeated. A file is
 * written under another name there, and renamed when it is complete.
 *
 * <p>Thread contract: one thread; {@link #checkName} from any. Ownership: the caller closes it.
 * Failure: {@link IOException} of that file system; the change may then be done in part.
 */
final class MirrorDirectory implements Closeable {
  private static final String UNFINISHED = ".copying";
  private static final int COPY_BYTES = 256 << 10;

  /**
   * A local file system allows 255 bytes, and the name of Hadoop's checksum file is 5 bytes longer.
   */
  private static final int MOST_LOCAL_NAME_BYTES = 250;

  private static final String TASK = "mapreduce.task.attempt.id"; // set for tasks only
  private static final String LOCAL_SCHEME = "file";
  private static final String LOCAL_NAME_ENCODING = "sun.jnu.encoding";

  private final Path base;
  private final FileSystem fileSystem;
  private final ClassLoader classLoader;
  private final Runnable progress;
  private final byte[] copy = new byte[COPY_BYTES];

  /**
   * Opens the file system of {@code base}.
   *
   * @param progress runs after each part of a file that is written
   */
  MirrorDirectory(Path base, Configuration conf, Runnable progress) throws IOException {
    this.base = base;
    this.progress = progress;
    // Not from Hadoop's cache: Hadoop closes cached file systems before write-behind ends.
    Configuration own = new Configuration(conf);
    String scheme = base.toUri().getScheme();
    own.setBoolean("fs." + scheme + ".impl.disable.cache", true);
    if (own.get(TASK) != null) {
      own.setClassLoader(lasting(scheme, own));
    }
    this.classLoader = own.getClassLoader();
    this.fileSystem = base.getFileSystem(own);
  }

  /**
   * Prefers a loader that outlives tasks; takes the task's only if no other has the file system.
   */
  private static ClassLoader lasting(String scheme, Configuration conf) {
    Configuration lasting = new Configuration(conf);
    lasting.setClassLoader(MirrorDirectory.class.getClassLoader());
    try {
      FileSystem.getFileSystemClass(scheme, lasting);
      return lasting.getClassLoader();
    } catch (IOException | RuntimeException | LinkageError e) {
      return conf.getClassLoader();
    }
  }

  /** The loader that finds the other file system's classes. */
  ClassLoader classLoader() {
    return classLoader;
  }

  void apply(MirroredChange change) throws IOException {
    if (change instanceof MirroredChange.Written written) {
      write(path(written.path()), written.content());
    } else if (change instanceof MirroredChange.Renamed renamed) {
      rename(path(renamed.from()), path(renamed.to()));
    } else if (change instanceof MirroredChange.Deleted deleted) {
      fileSystem.delete(path(deleted.path()), true);
    } else if (change instanceof MirroredChange.MadeDirectory made) {
      check(fileSystem.mkdirs(path(made.path())), change);
    }
  }

  /** Refuses a path that a local file cannot have; other file systems check for themselves. */
  void checkName(TreePath path) throws IOException {
    if (!LOCAL_SCHEME.equals(base.toUri().getScheme())) {
      return;
    }
    String encoding = System.getProperty(LOCAL_NAME_ENCODING);
    for (String name : path.names()) {
      // Java writes a question mark for each character that the encoding lacks.
      if (!Charset.forName(encoding).newEncoder().canEncode(name)) {
        throw new PathIOException(
            path.toString(),
            "the file cannot be copied to "
                + base
                + ", because this process's locale has the encoding "
                + encoding
                + ", which cannot express its name; start Java with LC_ALL=C.UTF-8");
      }
      int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
      if (lengthBytes > MOST_LOCAL_NAME_BYTES) {
        throw new PathIOException(
            path.toString(),
            "the file cannot be copied to "
                + base
                + ", because the name "
                + name
                + " has "
                + lengthBytes
                + " bytes, and the name of a local file may have "
                + MOST_LOCAL_NAME_BYTES);
      }
    }
  }

  private Path path(TreePath path) {
    return path.isRoot() ? base : new Path(base, String.join("/", path.names()));
  }

  private void write(Path path, FileContent content) throws IOException {
    String shortName =
        Integer.toHexString(
            path.getName().hashCode()); // a long name would leave no room for the suffix
    Path unfinished = new Path(path.getParent(), "." + shortName + UNFINISHED);
    try (FSDataOutputStream out = fileSystem.create(unfinished, true)) {
      long lengthBytes = content.lengthBytes();
      for (long doneBytes = 0; doneBytes < lengthBytes; ) {
        int n = content.read(doneBytes, ByteBuffer.wrap(copy));
        if (n < 0) {
          break; // truncated since; that is a change of its own
        }
        out.write(copy, 0, n);
        doneBytes += n;
        progress.run();
      }
    }
    fileSystem.delete(path, false);
    check(fileSystem.rename(unfinished, path), "the copy " + path);
  }

  /** A file that is missing here is still open, and will be copied under its new name. */
  private void rename(Path from, Path to) throws IOException {
    fileSystem.delete(to, true);
    if (fileSystem.exists(from)) {
      fileSystem.mkdirs(to.getParent());
      check(fileSystem.rename(from, to), "the renaming of " + from + " to " + to);
    }
  }

  private void check(boolean done, Object what) throws IOException {
    if (!done) {
      throw new IOException(fileSystem.getUri() + " did not do: " + what);
    }
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
  }

  /** A change to repeat in the other file system. */
  sealed interface MirroredChange {
    /** Describes the change in messages. */
    @Override
    String toString();

    /** Releases what the change holds, when it is done or dropped. */
    default void end() throws IOException {
      // most hold nothing
    }

    /** A file was closed with this content, which is held until {@link #end}. */
    record Written(TreePath path, FileContent content) implements MirroredChange {
      @Override
      public String toString() {
        return path.toString();
      }

      @Override
      public void end() throws IOException {
        content.letGo();
      }
    }

    /** A file or directory was renamed. */
    record Renamed(TreePath from, TreePath to) implements MirroredChange {
      @Override
      public String toString() {
        return "the renaming of " + from + " to " + to;
      }
    }

    /** A file or directory was deleted. */
    record Deleted(TreePath path) implements MirroredChange {
      @Override
      public String toString() {
        return "the deletion of " + path;
      }
    }

    /** A directory was made. */
    record MadeDirectory(TreePath path) implements MirroredChange {
      @Override
      public String toString() {
        return path + "/";
      }
    }
  }
}
