package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * How much of this process's heap the outputs and the files on disk of each user take. Each takes
 * little, but a task may make very many, and a full heap ends the process.
 *
 * <p>The last eighth is kept for users that have less than an eighth, as on the disk tier ({@link
 * DiskShares}). A user that is alone may have all.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link HeapShareException}.
 */
final class HeapShares {
  /** The heap of an output, of each of its extents, and of a file; some more than was measured. */
  static final long OUTPUT_BYTES = 576;

  static final long EXTENT_BYTES = 64;
  static final long FILE_BYTES = 1024;

  /** The part that is kept for users that have less than it. */
  private static final int KEPT_PART = 8;

  /** A task that comes must find this part free, so that it can keep its outputs. */
  private static final int TASKS_PART = 32;

  private final long mostBytes;
  private final boolean shared;
  private final Map<Owner, Use> uses = new HashMap<>();
  private final Map<Owner, Long> refusals = new HashMap<>();
  private long heldBytes;

  /** The use of one user. */
  private record Use(long outputs, long files, long bytes) {
    private static final Use NONE = new Use(0, 0, 0);

    Use plus(int moreOutputs, int moreFiles, long moreBytes) {
      return new Use(outputs + moreOutputs, files + moreFiles, bytes + moreBytes);
    }
  }

  /**
   * Of nobody yet.
   *
   * @param shared whether there may be several users
   */
  HeapShares(long mostBytes, boolean shared) {
    this.mostBytes = mostBytes;
    this.shared = shared;
  }

  static long outputBytes(int extents) {
    return OUTPUT_BYTES + EXTENT_BYTES * extents;
  }

  void addOutput(Owner owner, int extents) {
    add(owner, 1, 0, outputBytes(extents));
  }

  void removeOutput(Owner owner, int extents) {
    add(owner, -1, 0, -outputBytes(extents));
  }

  void addFile(Owner owner) {
    add(owner, 0, 1, FILE_BYTES);
  }

  void removeFile(Owner owner) {
    add(owner, 0, -1, -FILE_BYTES);
  }

  private void add(Owner owner, int outputs, int files, long bytes) {
    Use use = uses.getOrDefault(owner, Use.NONE).plus(outputs, files, bytes);
    if (use.equals(Use.NONE)) {
      uses.remove(owner);
    } else {
      uses.put(owner, use);
    }
    heldBytes += bytes;
  }

  /**
   * Checks that a user may have so much more.
   *
   * @param others whether another user has a lease or an output
   */
  void check(Owner owner, long bytes, BooleanSupplier others) throws HeapShareException {
    long leftBytes = mostBytes - heldBytes - bytes;
    long keptBytes = mostBytes / KEPT_PART;
    Use use = uses.getOrDefault(owner, Use.NONE);
    if (leftBytes >= keptBytes) {
      return;
    }
    boolean kept =
        shared
            && use.bytes() + bytes > keptBytes
            && (others.getAsBoolean() || uses.keySet().stream().anyMatch(at -> !at.equals(owner)));
    if (leftBytes < 0 || kept) {
      throw new HeapShareException(
          ("no heap for further outputs and files of user id %s, who has %s outputs and %s files of"
                  + " the disk tier: all users' take %s of %s bytes%s; end applications that nobody"
                  + " reads any more, or raise the heap (-Xmx) of the process")
              .formatted(
                  owner,
                  use.outputs(),
                  use.files(),
                  heldBytes,
                  mostBytes,
                  kept
                      ? ", and " + keptBytes + " are kept for users who have less than that"
                      : ""));
    }
  }

  /** Checks that a task of that user may come, which will want to commit. */
  void checkTask(Owner owner, BooleanSupplier others) throws HeapShareException {
    check(owner, mostBytes / TASKS_PART, others);
  }

  /** Checks a file for a copy, which nobody needs: half of the heap stays for other things. */
  void checkCopy(Owner owner, BooleanSupplier others) throws HeapShareException {
    check(owner, mostBytes / 2, others);
  }

  /** A task was refused something for lack of heap. */
  void refused(Owner owner) {
    refusals.merge(owner, 1L, Long::sum);
  }

  Map<Owner, Long> outputs() {
    return ofEach(Use::outputs);
  }

  Map<Owner, Long> files() {
    return ofEach(Use::files);
  }

  private Map<Owner, Long> ofEach(Function<Use, Long> figure) {
    Map<Owner, Long> all = new HashMap<>();
    uses.forEach((owner, use) -> all.put(owner, figure.apply(use)));
    return all;
  }

  Map<Owner, Long> refusals() {
    return Map.copyOf(refusals);
  }
}
