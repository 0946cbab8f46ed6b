package io.sluice.mapreduce.stage;

import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stages runs one behind the other in few volumes, since a reducer may have 100,000 of them: what
 * is needed to write is held for each thread that writes, and not for each run.
 *
 * <p>A thread takes a volume that nobody writes to for the length of a run; a long run gets one of
 * its own, so that its room returns with it, and no volume waits for more with memory to write. A
 * volume is given back when the last of its runs is.
 *
 * <p>When the node wants memory back ({@link #keepAtMost}), volumes that nobody writes to are
 * emptied: their runs are copied, as they are stored, to volumes on disk.
 *
 * <p>With a key, runs are encrypted before they reach a volume, each on its own.
 *
 * <p>Thread contract: safe from any thread; each run belongs to one at a time. Ownership: owns the
 * volumes; the key stays its owner's. Failure: {@link IOException} of the medium; the run at hand
 * is then of no use, and the others are as good as before.
 */
abstract class PackedStage implements StageArea {
  /** A volume of so many bytes takes no further run. */
  private static final long FULL_BYTES = 64L << 20;

  /** A run of so many bytes gets a volume of its own, if its length is known. */
  private static final long LONG_RUN_BYTES = 4L << 20;

  private static final int COPY_BYTES = 64 << 10;

  private final Deque<Slot> idle = new ArrayDeque<>();
  private final Deque<Slot> idleOnDisk = new ArrayDeque<>(); // of those that others were copied to
  private final Set<Slot> slots = new HashSet<>();
  private final AtomicLong memoryBytes = new AtomicLong();
  private final AtomicLong diskBytes = new AtomicLong();
  private final OutputKey key;
  private volatile boolean closed;

  /**
   * Stages nothing yet.
   *
   * @param key to encrypt with, or null
   */
  PackedStage(OutputKey key) {
    this.key = key;
  }

  /** A volume and who needs it; guarded by the stage. */
  private static final class Slot {
    final StageVolume volume;
    final boolean onDisk;
    final boolean isForOne; // a long run
    final Set<PackedRun> finished = new LinkedHashSet<>();
    int runs;
    boolean isWritten;
    boolean ended; // nothing is written to it any more

    Slot(StageVolume volume, boolean onDisk, boolean isForOne) {
      this.volume = volume;
      this.onDisk = onDisk;
      this.isForOne = isForOne;
    }
  }

  /** A new volume; {@code lengthBytes} are expected to be written to it at once, 0 if unknown. */
  abstract StageVolume openVolume(long lengthBytes) throws IOException;

  /** The same on disk. */
  abstract StageVolume openDiskVolume(long lengthBytes) throws IOException;

  /** What it holds of the node's memory. */
  abstract long heldBytes();

  @Override
  public final StagedRun create(String name) throws IOException {
    requireOpen();
    return new PackedRun(name);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the stage of this reducer is closed");
    }
  }

  @Override
  public final long memoryBytes() {
    return memoryBytes.get();
  }

  @Override
  public final long diskBytes() {
    return diskBytes.get();
  }

  /** A volume to write one run to. */
  private Slot take(long lengthBytes, boolean onDisk) throws IOException {
    Deque<Slot> waiting = onDisk ? idleOnDisk : idle;
    boolean isLong = lengthBytes >= LONG_RUN_BYTES;
    synchronized (this) {
      requireOpen();
      if (!isLong && !waiting.isEmpty()) {
        return taken(waiting.pop());
      }
    }
    StageVolume volume = onDisk ? openDiskVolume(lengthBytes) : openVolume(lengthBytes);
    Slot slot = new Slot(volume, onDisk, isLong);
    boolean added = false;
    synchronized (this) {
      if (!closed) {
        slots.add(slot);
        taken(slot);
        added = true;
      }
    }
    if (!added) {
      slot.volume.close();
      requireOpen();
    }
    return slot;
  }

  private static Slot taken(Slot slot) {
    slot.runs++;
    slot.isWritten = true;
    return slot;
  }

  /** The run at a volume's end is no longer written; {@code usable} if others may follow. */
  private void written(Slot slot, boolean usable) throws IOException {
    boolean more = false;
    try {
      more = usable && !slot.isForOne && slot.volume.lengthBytes() < FULL_BYTES;
      if (usable && !more) {
        endWriting(slot);
      }
    } finally {
      leave(slot, more);
    }
  }

  private static void endWriting(Slot slot) throws IOException {
    if (!slot.ended) {
      slot.ended = true;
      slot.volume.endWriting();
    }
  }

  /** Nobody writes to a volume now; {@code more} if somebody may. */
  private void leave(Slot slot, boolean more) throws IOException {
    synchronized (this) {
      slot.isWritten = false;
      if (!closed && slot.runs > 0) {
        if (more) {
          (slot.onDisk ? idleOnDisk : idle).push(slot);
        }
        return;
      }
      slots.remove(slot);
    }
    slot.volume.close();
  }

  /** A run is not needed any more. */
  private void release(Slot slot, PackedRun run) throws IOException {
    synchronized (this) {
      slot.finished.remove(run);
      slot.runs--;
      if (slot.runs > 0 || slot.isWritten || !slots.remove(slot)) {
        return;
      }
      idle.remove(slot);
      idleOnDisk.remove(slot);
    }
    slot.volume.close();
  }

  /**
   * Lays runs on disk until no more than so much of the node's memory is held, or none is left that
   * can be: those that are being written or read stay. Safe from any thread.
   */
  public final void keepAtMost(long keptBytes) throws IOException {
    List<Slot> all;
    synchronized (this) {
      all = new ArrayList<>(slots);
    }
    for (Slot slot : all) {
      if (heldBytes() <= keptBytes) {
        return;
      }
      if (!slot.onDisk && reserve(slot)) {
        empty(slot);
      }
    }
  }

  /** Nobody writes to it from now on, or closes it; false if somebody does. */
  private synchronized boolean reserve(Slot slot) {
    if (closed || slot.isWritten || !slots.contains(slot)) {
      return false;
    }
    idle.remove(slot);
    slot.isWritten = true;
    return true;
  }

  private void empty(Slot slot) throws IOException {
    try {
      endWriting(slot);
      for (PackedRun run : finished(slot)) {
        run.moveToDisk();
      }
    } finally {
      leave(slot, false);
    }
  }

  private synchronized List<PackedRun> finished(Slot slot) {
    return new ArrayList<>(slot.finished);
  }

  private synchronized void finished(Slot slot, PackedRun run) {
    slot.finished.add(run);
  }

  @Override
  public final void trim() throws IOException {
    List<Slot> ending;
    synchronized (this) {
      ending = new ArrayList<>(idle);
      ending.addAll(idleOnDisk);
      idle.clear();
      idleOnDisk.clear();
      ending.forEach(slot -> slot.isWritten = true); // not to be closed meanwhile
    }
    IOException failure = null;
    for (Slot slot : ending) {
      try {
        trim(slot);
      } catch (IOException e) {
        failure = and(failure, e);
      }
    }
    throwIfAny(failure);
  }

  private void trim(Slot slot) throws IOException {
    try {
      endWriting(slot);
    } finally {
      leave(slot, false);
    }
  }

  @Override
  public final void close() throws IOException {
    List<Slot> closing = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (Slot slot : slots) {
        if (!slot.isWritten) {
          closing.add(slot);
        }
      }
      closing.forEach(slots::remove);
      idle.clear();
      idleOnDisk.clear();
    }
    IOException failure = null;
    for (Slot slot : closing) {
      try {
        slot.volume.close();
      } catch (IOException e) {
        failure = and(failure, e);
      }
    }
    throwIfAny(failure);
  }

  private static IOException and(IOException first, IOException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }

  private static void throwIfAny(IOException failure) throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  private final class PackedRun implements StagedRun {
    private final String name;
    private Slot slot; // with the piece, under this run's lock: it may be moved until it is read
    private boolean writes;
    private boolean broken;
    private boolean read;
    private StageVolume.Piece piece;
    private RunEncryptor encryptor; // while it is written
    private int ordinal;
    private boolean closed;

    PackedRun(String name) {
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
      requireOpen();
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
      if (closed || (slot != null && !writes)) {
        throw new IllegalStateException("run " + name + " is written to after its end");
      }
      if (slot == null) {
        slot = take(lengthBytes, false);
        writes = true;
      }
      boolean done = false;
      try {
        step.on(slot.volume);
        done = true;
      } finally {
        broken |= !done;
      }
    }

    @Override
    public synchronized void finish() throws IOException {
      writing(0, this::end);
      writes = false;
      finished(slot, this);
      written(slot, true);
      memoryBytes.addAndGet(piece.memoryBytes());
      diskBytes.addAndGet(piece.lengthBytes() - piece.memoryBytes());
    }

    private void end(StageVolume volume) throws IOException {
      if (key != null) {
        encryptor(volume).endRun();
        encryptor = null;
      }
      piece = volume.endRun();
    }

    @Override
    public synchronized long lengthBytes() {
      return piece.lengthBytes();
    }

    /** Leaves its volume, unless it is read or not needed any more. */
    synchronized void moveToDisk() throws IOException {
      if (closed || read) {
        return;
      }
      Slot left = slot;
      Slot target = take(piece.lengthBytes(), true);
      boolean done = false;
      try {
        copyTo(target.volume);
        piece = target.volume.endRun();
        slot = target;
        finished(target, this);
        done = true;
      } finally {
        try {
          written(target, done);
        } finally { // also if that fails: the run lies in one of them only
          release(done ? left : target, this);
        }
      }
    }

    private void copyTo(StageVolume volume) throws IOException {
      long lengthBytes = piece.lengthBytes();
      volume.expect(lengthBytes);
      byte[] bytes = new byte[(int) Math.min(COPY_BYTES, Math.max(1, lengthBytes))];
      try (RunInput input = stored()) { // verified: the copy gets checksums of its own
        for (long doneBytes = 0; doneBytes < lengthBytes; ) {
          int readBytes = input.read(bytes, 0, bytes.length);
          volume.write(bytes, 0, readBytes);
          doneBytes += readBytes;
        }
      }
    }

    private RunInput stored() {
      return new VerifiedRunInput(name, piece.open(), piece.lengthBytes(), piece.checksums());
    }

    @Override
    public synchronized RunInput open() {
      read = true;
      RunInput input = stored();
      RunInput plain =
          key == null
              ? input
              : new DecryptedRunInput(name, input, piece.lengthBytes(), key, 0, ordinal);
      return new OwningInput(plain, this);
    }

    @Override
    public synchronized void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      if (slot != null) {
        try {
          if (writes) {
            writes = false;
            cutShort();
          }
        } finally {
          release(slot, this);
        }
      }
    }

    private void cutShort() throws IOException {
      boolean usable = false;
      try {
        if (!broken) {
          slot.volume.endRun(); // what follows begins behind it
          usable = true;
        }
      } finally {
        written(slot, usable);
      }
    }
  }

  /** Gives the room back with the input. */
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
        throw new IOException("run " + run.name() + " is read after its room was given back");
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
