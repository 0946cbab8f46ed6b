package io.sluice.local.count;

import java.net.URI;
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
 * <p>Thread contract: safe from any thread.
 */
final class Uncounted {
  private static final URI ROOT = URI.create("sluice-uncounted:/");
  private static final StackWalker STACK = StackWalker.getInstance();

  /** The readers that count, in MapTask: of the new and the old interface. */
  private static final String COUNTING_READERS =
      "org\\.apache\\.hadoop\\.mapred\\.MapTask\\$(NewTrackingRecordReader|TrackedRecordReader)";

  /** Given to whoever counts, and to nobody else. */
  static final Path PATH =
      new Path(ROOT) {
        private static final long serialVersionUID = 1L;

        @Override
        public FileSystem getFileSystem(Configuration conf) {
          return new Nothing();
        }
      };

  private Uncounted() {}

  /** Whether what called the method that calls this is one of those that count. */
  static boolean isAskedByCounter() {
    return STACK.walk(
        frames ->
            frames
                .skip(2)
                .findFirst()
                .filter(frame -> frame.getClassName().matches(COUNTING_READERS))
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
