package io.sluice.hadoop.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** The local file system, in which files can be opened only by so many at once. Made by Hadoop. */
public final class MeetingOpens extends RawLocalFileSystem {
  private static final int DEADLINE_S = 120;

  private static volatile CountDownLatch meeting = new CountDownLatch(0);

  /** From now on nobody opens a file before so many do. */
  static void expect(int opens) {
    meeting = new CountDownLatch(opens);
  }

  @Override
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    CountDownLatch met = meeting;
    met.countDown();
    try {
      if (!met.await(DEADLINE_S, TimeUnit.SECONDS)) {
        throw new IOException(met.getCount() + " others did not open a file meanwhile");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted in " + file);
    }
    return super.open(file, bufferSize);
  }
}
