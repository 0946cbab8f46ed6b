package io.sluice.local.count;

import java.net.URI;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * What Hadoop's map task gets when it asks where its split lies, to count what is read there.
 * Before and after each record it adds up, under a lock, what all threads of the process have read
 * in file systems of that scheme: two fifths of the processor time of a TeraSort in one process. Of
 * this scheme there are none to add up; {@link MeteredInput} counts.
 *
 * <p>Thread contract: the task's thread, until it has asked; then any.
 */
final class Uncounted {
  private static final URI ROOT = URI.create("sluice-uncounted:/");
  private static final StackWalker STACK = StackWalker.getInstance();

  /** The readers that count, in MapTask: of the new and the old interface. */
  private static final Set<String> COUNTING_READERS =
      Set.of(
          "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader",
          "org.apache.hadoop.mapred.MapTask$TrackedRecordReader");

  /** Given to whoever counts, and to nobody else. */
  private static final Path PATH =
      new Path(ROOT) {
        private static final long serialVersionUID = 1L;

        @Override
        public FileSystem getFileSystem(Configuration conf) {
          return new Nothing();
        }
      };

  private boolean given;

  /** For one split. */
  Uncounted() {}

  /**
   * What the split says where it lies, to whoever calls the method that calls this. The reader that
   * counts asks once, before there is a record; whoever asks for each record must not wait for it.
   */
  Path insteadOf(Path real) {
    if (given || !isAskedByCounter()) {
      return real;
    }
    given = true;
    return PATH;
  }

  private static boolean isAskedByCounter() {
    return STACK.walk(
        frames ->
            frames
                .skip(3) // this, insteadOf and the split's getPath
                .findFirst()
                .filter(frame -> COUNTING_READERS.contains(frame.getClassName()))
                .isPresent());
  }

  /** A file system that is asked for its name alone. */
  private static final class Nothing extends FileSystem {
    @Override
    public URI getUri() {
      return ROOT;
    }

    @Override
    public Path getWorkingDirectory() {
      return new Path(ROOT);
    }

    private static UnsupportedOperationException nothing() {
      return new UnsupportedOperationException("there is nothing in it");
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) {
      throw nothing();
    }

    @Override
    public FSDataOutputStream create(
        Path path,
        FsPermission permission,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress) {
      throw nothing();
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
      throw nothing();
    }

    @Override
    public boolean rename(Path from, Path to) {
      throw nothing();
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
      throw nothing();
    }

    @Override
    public FileStatus[] listStatus(Path path) {
      throw nothing();
    }

    @Override
    public void setWorkingDirectory(Path path) {
      throw nothing();
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) {
      throw nothing();
    }

    @Override
    public FileStatus getFileStatus(Path path) {
      throw nothing();
    }
  }
}
