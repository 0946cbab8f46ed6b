package io.sluice.mapreduce.stage;

import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.cipher.OutputKey;
import java.io.Closeable;
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
 * Stages many runs in few volumes, because a reducer may have 100,000 runs. Memory for writing is
 * held for each writing thread, and not for each run.
 *
 * <p>A thread takes an idle volume for the time of one run. A long run gets a volume of its own, so
 * that its room is freed with it. A volume is freed with its last run.
 *
 * <p>When the node revokes memory ({@link #keepAtMost}), the runs of idle volumes are copied, as
 * they are stored, to volumes on disk.
 *
 * <p>With a key, each run is encrypted on its own before it reaches a volume.
 *
 * <p>Thread contract: safe from any thread; each run belongs to one thread at a time. Ownership:
 * owns the volumes; the caller owns the key. Failure: {@link IOException} of the medium; it affects
 * only the current run.
 */
abstract class PackedStage implements StageArea {
  /** A volume with so many bytes takes no further run. */
  private static final long FULL_BYTES = 64L << 20;

  /** A run that is known to be so long gets a volume of its own. */
  private static final long LONG_RUN_BYTES = 4L << 20;

  private final Deque<VolumeUse> idle = new ArrayDeque<>();
  private final Deque<VolumeUse> idleOnDisk = new ArrayDeque<>(); // for runs that are moved to disk
  private final Set<VolumeUse> uses = new HashSet<>();
  private final AtomicLong memoryBytes = new AtomicLong();
  private final AtomicLong diskBytes = new AtomicLong();
  private final OutputKey key;
  private volatile boolean closed;

  /**
   * Begins without runs.
   *
   * @param key for encryption, or null
   */
  PackedStage(OutputKey key) {
    this.key = key;
  }

  /** A volume, its runs, and whether a thread writes to it; guarded by the stage. */
  static final class VolumeUse {
    final StageVolume volume;
    final boolean onDisk;
    final boolean isForOne; // a long run
    final Set<PackedRun> finished = new LinkedHashSet<>();
    int runs;
    boolean isWritten;
    boolean ended; // writing has ended

    VolumeUse(StageVolume volume, boolean onDisk, boolean isForOne) {
      this.volume = volume;
      this.onDisk = onDisk;
      this.isForOne = isForOne;
    }
  }

  /** Opens a volume for a run of {@code lengthBytes}, 0 if unknown. */
  abstract StageVolume openVolume(long lengthBytes) throws IOException;

  /** The same, on disk. */
  abstract StageVolume openDiskVolume(long lengthBytes) throws IOException;

  /** Bytes of the node's memory that the stage holds. */
  abstract long heldBytes();

  @Override
  public final StagedRun create(String name) throws IOException {
    requireOpen();
    return new PackedRun(this, key, name);
  }

  void requireOpen() throws IOException {
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

  /** A run is finished. */
  void count(StageVolume.VolumeRun run) {
    memoryBytes.addAndGet(run.memoryBytes());
    diskBytes.addAndGet(run.lengthBytes() - run.memoryBytes());
  }

  /** Takes a volume for writing one run. */
  VolumeUse take(long lengthBytes, boolean onDisk) throws IOException {
    Deque<VolumeUse> waiting = onDisk ? idleOnDisk : idle;
    boolean isLong = lengthBytes >= LONG_RUN_BYTES;
    synchronized (this) {
      requireOpen();
      if (!isLong && !waiting.isEmpty()) {
        return taken(waiting.pop());
      }
    }
    StageVolume volume = onDisk ? openDiskVolume(lengthBytes) : openVolume(lengthBytes);
    VolumeUse use = new VolumeUse(volume, onDisk, isLong);
    boolean added = false;
    synchronized (this) {
      if (!closed) {
        uses.add(use);
        taken(use);
        added = true;
      }
    }
    if (!added) {
      use.volume.close();
      requireOpen();
    }
    return use;
  }

  private static VolumeUse taken(VolumeUse use) {
    use.runs++;
    use.isWritten = true;
    return use;
  }

  /** The writer of a volume's last run is done; {@code usable} if further runs may follow. */
  void written(VolumeUse use, boolean usable) throws IOException {
    boolean more = false;
    try {
      more = usable && !use.isForOne && use.volume.lengthBytes() < FULL_BYTES;
      if (usable && !more) {
        endWriting(use);
      }
    } finally {
      leave(use, more);
    }
  }

  private static void endWriting(VolumeUse use) throws IOException {
    if (!use.ended) {
      use.ended = true;
      use.volume.endWriting();
    }
  }

  /** A thread stops writing to a volume; {@code more} if others may write to it. */
  private void leave(VolumeUse use, boolean more) throws IOException {
    synchronized (this) {
      use.isWritten = false;
      if (!closed && use.runs > 0) {
        if (more) {
          (use.onDisk ? idleOnDisk : idle).push(use);
        }
        return;
      }
      uses.remove(use);
    }
    use.volume.close();
  }

  /** A run was closed. */
  void release(VolumeUse use, PackedRun run) throws IOException {
    synchronized (this) {
      use.finished.remove(run);
      use.runs--;
      if (use.runs > 0 || use.isWritten || !uses.remove(use)) {
        return;
      }
      idle.remove(use);
      idleOnDisk.remove(use);
    }
    use.volume.close();
  }

  /**
   * Moves runs to disk until the stage holds at most {@code keptBytes} of the node's memory. Runs
   * that are being written or read stay.
   */
  public final void keepAtMost(long keptBytes) throws IOException {
    List<VolumeUse> all;
    synchronized (this) {
      all = new ArrayList<>(uses);
    }
    for (VolumeUse use : all) {
      if (heldBytes() <= keptBytes) {
        return;
      }
      if (!use.onDisk && reserve(use)) {
        empty(use);
      }
    }
  }

  /** Reserves a volume, so that no thread writes to it or closes it; false if it is in use. */
  private synchronized boolean reserve(VolumeUse use) {
    if (closed || use.isWritten || !uses.contains(use)) {
      return false;
    }
    idle.remove(use);
    use.isWritten = true;
    return true;
  }

  private void empty(VolumeUse use) throws IOException {
    try {
      endWriting(use);
      for (PackedRun run : finished(use)) {
        run.moveToDisk();
      }
    } finally {
      leave(use, false);
    }
  }

  private synchronized List<PackedRun> finished(VolumeUse use) {
    return new ArrayList<>(use.finished);
  }

  synchronized void finished(VolumeUse use, PackedRun run) {
    use.finished.add(run);
  }

  @Override
  public final void trim() throws IOException {
    List<VolumeUse> ending;
    synchronized (this) {
      ending = new ArrayList<>(idle);
      ending.addAll(idleOnDisk);
      idle.clear();
      idleOnDisk.clear();
      ending.forEach(use -> use.isWritten = true); // keeps others from closing it
    }
    Closer.all(ending.stream().map(use -> (Closeable) () -> trim(use)).toList());
  }

  private void trim(VolumeUse use) throws IOException {
    try {
      endWriting(use);
    } finally {
      leave(use, false);
    }
  }

  @Override
  public final void close() throws IOException {
    List<VolumeUse> closing = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (VolumeUse use : uses) {
        if (!use.isWritten) {
          closing.add(use);
        }
      }
      closing.forEach(uses::remove);
      idle.clear();
      idleOnDisk.clear();
    }
    Closer.all(closing.stream().map(use -> use.volume).toList());
  }
}
