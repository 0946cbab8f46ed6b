package io.sluice.local.exchange;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.SegmentMapper;
import java.io.IOException;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * A run of a map of this very process, read where it lies.
 *
 * <p>Thread contract and ownership: those of {@link MergeRun}.
 */
record StoredRun(String name, Run run, RunForm form, RunInput input) implements MergeRun {
  private static final int WINDOW_BYTES = 1 << 20;

  /**
   * Opens it; nothing is mapped before it is read.
   *
   * @param codec of its job, or null
   * @param key that it is encrypted with, or null
   */
  static StoredRun open(
      SegmentMapper mapper,
      OutputId output,
      LocatedRun located,
      int partition,
      CompressionCodec codec,
      ShuffleKey key)
      throws IOException {
    Run run = located.run();
    String name = output.outputId() + " partition " + partition + " run " + run.ordinal();
    RunInput bytes =
        new MappedRunInput(mapper::map, located.place().ranges(), run.lengthBytes(), WINDOW_BYTES);
    RunInput verified = new VerifiedRunInput(name, bytes, run.lengthBytes(), run.checksums());
    RunInput plain =
        key == null
            ? verified
            : new DecryptedRunInput(
                name, verified, run.lengthBytes(), key.reading(output), partition, run.ordinal());
    return new StoredRun(name, run, RunForm.of(codec, run.chunkBytes()), plain);
  }

  @Override
  public long lengthBytes() {
    return run.lengthBytes();
  }

  @Override
  public int chunkBytes() {
    return run.chunkBytes();
  }

  @Override
  public long rawLengthBytes() {
    return run.rawLengthBytes();
  }

  @Override
  public long meanRecordBytes() {
    return run.rawLengthBytes() / Math.max(1, run.records());
  }

  @Override
  public void suspend() {
    // It holds nothing before it is read.
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
