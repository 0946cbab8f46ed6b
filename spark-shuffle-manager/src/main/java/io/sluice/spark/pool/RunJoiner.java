package io.sluice.spark.pool;

import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;

/**
 * Writes an output once more before its commit, with one run per partition. It decodes nothing, but
 * decrypts and encrypts anew. Readers get the runs of a partition in order, so they see no
 * difference.
 *
 * <p>Longer buffers alone could not replace it. A sort of many partitions with little memory writes
 * a run of each partition at each spill, in the end more runs than the index or the heap can hold.
 *
 * <p>Thread contract: one thread. Ownership: the caller closes both writers. Failure: {@link
 * IOException} if the pool fails, has no space for both, or a run is damaged.
 */
final class RunJoiner {
  private static final int COPY_BYTES = 64 << 10;
  private static final int WINDOW_BYTES = 1 << 20;

  private final String name;
  private final OutputWriter from;
  private final OutputKey fromKey;
  private final OutputWriter to;
  private final RunEncryptor encryptor;
  private final byte[] window = new byte[COPY_BYTES];

  /**
   * Joins the runs of {@code from} in {@code to}, which is empty.
   *
   * @param name of the output, for messages
   * @param fromKey key of the runs; null if they are not encrypted
   * @param toKey another key then, because runs are numbered anew
   */
  RunJoiner(String name, OutputWriter from, OutputKey fromKey, OutputWriter to, OutputKey toKey) {
    this.name = name;
    this.from = from;
    this.fromKey = fromKey;
    this.to = to;
    this.encryptor = toKey == null ? null : new RunEncryptor(toKey, to::write);
  }

  void join() throws IOException {
    List<WrittenRun> runs = from.runsByPartition();
    to.reserveCapacity(runs.stream().mapToLong(WrittenRun::lengthBytes).sum());
    int next = 0;
    while (next < runs.size()) {
      int partition = runs.get(next).partition();
      long rawLengthBytes = 0;
      long records = 0;
      begin(partition);
      for (int ordinal = 0;
          next < runs.size() && runs.get(next).partition() == partition;
          ordinal++) {
        WrittenRun run = runs.get(next++);
        copy(run, ordinal);
        rawLengthBytes += run.rawLengthBytes();
        records += run.records();
      }
      end(rawLengthBytes, records);
    }
  }

  private void begin(int partition) {
    to.beginRun(partition);
    if (encryptor != null) {
      encryptor.beginRun(partition);
    }
  }

  private void end(long rawLengthBytes, long records) throws IOException {
    if (encryptor != null) {
      encryptor.endRun();
    }
    to.endRun(rawLengthBytes, records);
  }

  private void copy(WrittenRun run, int ordinal) throws IOException {
    try (RunInput bytes = open(run, ordinal)) {
      int n;
      while ((n = bytes.read(window, 0, window.length)) >= 0) {
        if (encryptor == null) {
          to.write(window, 0, n);
        } else {
          encryptor.write(window, 0, n);
        }
      }
    }
  }

  private RunInput open(WrittenRun run, int ordinal) {
    String runName = name + " before it is committed";
    RunInput verified =
        new VerifiedRunInput(
            runName, from.input(run, WINDOW_BYTES), run.lengthBytes(), run.checksums());
    return fromKey == null
        ? verified
        : new DecryptedRunInput(
            runName, verified, run.lengthBytes(), fromKey, run.partition(), ordinal);
  }
}
