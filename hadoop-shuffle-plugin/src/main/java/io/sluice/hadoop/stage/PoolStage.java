package io.sluice.hadoop.stage;

import io.sluice.spill.format.Run;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stages runs in extents of the node's pool that are leased and never committed: the service takes
 * them back when this reducer closes them or dies. What the memory tier has no room for goes to the
 * pool's disk tier, as for map outputs.
 *
 * <p>Thread contract: {@link #create} from any thread. Ownership: the lease stays its owner's.
 */
public final class PoolStage implements StageArea {
  private static final long LEASE_BYTES = 4 << 20;
  private static final int WINDOW_BYTES = 256 << 10;

  private final ExtentSource source;
  private final Medium medium;
  private final AtomicLong memoryBytes = new AtomicLong();
  private final AtomicLong diskBytes = new AtomicLong();

  /** Stages in what {@code source} leases. */
  public PoolStage(ExtentSource source, Medium medium) {
    this.source = source;
    this.medium = medium;
  }

  @Override
  public StagedRun create(String name) {
    return new PoolRun(name);
  }

  @Override
  public long memoryBytes() {
    return memoryBytes.get();
  }

  @Override
  public long diskBytes() {
    return diskBytes.get();
  }

  private final class PoolRun implements StagedRun {
    private final String name;
    private final OutputWriter writer = new OutputWriter(source, medium, 1, LEASE_BYTES);
    private boolean begun;
    private Run run;

    PoolRun(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void expect(long lengthBytes) throws IOException {
      writer.reserveCapacity(lengthBytes);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      begin();
      writer.write(bytes, offset, length);
    }

    private void begin() {
      if (!begun) {
        begun = true;
        writer.beginRun(0);
      }
    }

    @Override
    public void finish() {
      begin();
      run = writer.endRun(0, 0);
      memoryBytes.addAndGet(writer.stats().memoryBytes());
      diskBytes.addAndGet(writer.stats().diskBytes());
    }

    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public RunInput open() {
      MappedRunInput input = new MappedRunInput(writer::mapRanges, run, WINDOW_BYTES);
      return new OwningInput(
          new VerifiedRunInput(name, input, run.lengthBytes(), run.checksums()), this);
    }

    @Override
    public void close() throws IOException {
      writer.close();
    }
  }

  /** Gives the extents back with the input. */
  private static final class OwningInput implements RunInput {
    private final RunInput input;
    private final StagedRun run;

    OwningInput(RunInput input, StagedRun run) {
      this.input = input;
      this.run = run;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      return input.read(dst, offset, lengthBytes);
    }

    @Override
    public long remainingBytes() {
      return input.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      input.close();
      run.close();
    }
  }
}
