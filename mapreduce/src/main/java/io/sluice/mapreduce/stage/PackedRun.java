package io.sluice.mapreduce.stage;

import io.sluice.mapreduce.stage.PackedStage.VolumeUse;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;

/**
 * One run of a {@link PackedStage}. While it is written it has a volume to itself; then it shares
 * the volume with other runs. The stage may move it to disk until it is read.
 *
 * <p>Thread contract: one thread writes, then one reads; {@link #moveToDisk} from any thread.
 * Ownership: {@link StagedRun} says who closes it. Failure: {@link IOException} of the medium;
 * other runs of the volume stay readable.
 */
final class PackedRun implements StagedRun {
  private static final int COPY_BYTES = 64 << 10;

  private final PackedStage stage;
  private final OutputKey key; // or null
  private final String name;
  private VolumeUse use; // guarded by this, with stored: a move may change both
  private boolean writes;
  private boolean broken;
  private boolean read;
  private StageVolume.VolumeRun stored;
  private RunEncryptor encryptor; // while it is written
  private int ordinal;
  private boolean closed;

  PackedRun(PackedStage stage, OutputKey key, String name) {
    this.stage = stage;
    this.key = key;
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void expect(long lengthBytes) throws IOException {
    long storedBytes = key == null ? lengthBytes : RunEncryptor.storedBytes(lengthBytes);
    writing(storedBytes, volume -> volume.expect(storedBytes));
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    stage.requireOpen();
    writing(
        0,
        volume -> {
          if (key == null) {
            volume.write(bytes, offset, length);
          } else {
            encryptor(volume).write(bytes, offset, length);
          }
        });
  }

  private RunEncryptor encryptor(StageVolume volume) {
    if (encryptor == null) {
      encryptor = new RunEncryptor(key, volume::write);
      ordinal = encryptor.beginRun(0);
    }
    return encryptor;
  }

  private interface Step {
    void on(StageVolume volume) throws IOException;
  }

  private void writing(long lengthBytes, Step step) throws IOException {
    if (closed || (use != null && !writes)) {
      throw new IllegalStateException("run " + name + " is written after its end");
    }
    if (use == null) {
      use = stage.take(lengthBytes, false);
      writes = true;
    }
    boolean done = false;
    try {
      step.on(use.volume);
      done = true;
    } finally {
      broken |= !done;
    }
  }

  @Override
  public synchronized void finish() throws IOException {
    writing(0, this::end);
    writes = false;
    stage.finished(use, this);
    stage.written(use, true);
    stage.count(stored);
  }

  private void end(StageVolume volume) throws IOException {
    if (key != null) {
      encryptor(volume).endRun();
      encryptor = null;
    }
    stored = volume.endRun();
  }

  @Override
  public synchronized long lengthBytes() {
    return stored.lengthBytes();
  }

  /** Copies the run to a volume on disk, unless it is read or was closed. */
  synchronized void moveToDisk() throws IOException {
    if (closed || read) {
      return;
    }
    VolumeUse left = use;
    VolumeUse target = stage.take(stored.lengthBytes(), true);
    boolean done = false;
    try {
      copyTo(target.volume);
      stored = target.volume.endRun();
      use = target;
      stage.finished(target, this);
      done = true;
    } finally {
      try {
        stage.written(target, done);
      } finally { // after a failure too: the run lies in one volume only
        stage.release(done ? left : target, this);
      }
    }
  }

  private void copyTo(StageVolume volume) throws IOException {
    long lengthBytes = stored.lengthBytes();
    volume.expect(lengthBytes);
    byte[] bytes = new byte[(int) Math.min(COPY_BYTES, Math.max(1, lengthBytes))];
    try (RunInput input = verified()) { // verified, because the copy gets new checksums
      for (long doneBytes = 0; doneBytes < lengthBytes; ) {
        int readBytes = input.read(bytes, 0, bytes.length);
        volume.write(bytes, 0, readBytes);
        doneBytes += readBytes;
      }
    }
  }

  private RunInput verified() {
    return new VerifiedRunInput(name, stored.open(), stored.lengthBytes(), stored.checksums());
  }

  @Override
  public synchronized RunInput open() {
    read = true;
    RunInput input = verified();
    RunInput plain =
        key == null
            ? input
            : new DecryptedRunInput(name, input, stored.lengthBytes(), key, 0, ordinal);
    return new OwningInput(plain, this);
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (use != null) {
      try {
        if (writes) {
          writes = false;
          cutShort();
        }
      } finally {
        stage.release(use, this);
      }
    }
  }

  private void cutShort() throws IOException {
    boolean usable = false;
    try {
      if (!broken) {
        use.volume.endRun(); // the next run begins behind it
        usable = true;
      }
    } finally {
      stage.written(use, usable);
    }
  }

  /** Closes the run with its input. */
  private static final class OwningInput implements RunInput {
    private final RunInput input;
    private final StagedRun run;
    private boolean closed;

    OwningInput(RunInput input, StagedRun run) {
      this.input = input;
      this.run = run;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      if (closed) {
        throw new IOException("run " + run.name() + " is read after it was closed");
      }
      return input.read(dst, offset, lengthBytes);
    }

    @Override
    public long remainingBytes() {
      return input.remainingBytes();
    }

    @Override
    public void close() throws IOException {
      closed = true;
      try {
        input.close();
      } finally {
        run.close();
      }
    }
  }
}
