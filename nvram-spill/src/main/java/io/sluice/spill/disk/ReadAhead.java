package io.sluice.spill.disk;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads the next bytes for a reader of a device, while the bytes before them are sent.
 *
 * <p>A plan lists the ranges that one reader was told of: the runs of its partition. Nothing of it
 * is read before the reader has fetched a part, which may be long after it was told. Then one unit
 * is read ahead, behind the last one that was requested, and the next one when that was fetched. No
 * byte outside a plan is read. A unit that nobody fetches for a while gives its buffer to others.
 *
 * <p>Thread contract: safe from any thread; the lock is held for no wait. Ownership: the {@link
 * Device} closes it before its memory. Failure: none of its own; bytes that could not be read ahead
 * are read when they are requested.
 */
final class ReadAhead {
  /** Most stretches of all plans together; the oldest are dropped. */
  static final int MOST_STRETCHES = 10_000;

  static final long STALE_NS = TimeUnit.SECONDS.toNanos(5);

  private final int unitBytes;
  private final LongSupplier nanoTime;
  private final Set<Plan> plans = new LinkedHashSet<>(); // the oldest first
  private final Set<Plan> ahead = new LinkedHashSet<>(); // those with a piece, the oldest first
  private final Map<Source, TreeMap<Long, Stretch>> byStart = new HashMap<>();
  private int stretches;
  private boolean closed;

  /** A file that can be read ahead. */
  interface Source {
    /** Begins to read; empty if there is no memory for it now, or the file is closed. */
    Optional<Piece> readAhead(long offsetBytes, int lengthBytes);
  }

  /** Bytes that are read ahead; closed once. */
  interface Piece extends AutoCloseable {
    /** Where they begin in the file. */
    long offsetBytes();

    /** Where they end. */
    long endBytes();

    /** A part, which stays valid when this is closed; not to be read before {@link #await}. */
    LentBytes part(long offsetBytes, int lengthBytes);

    /** Waits for the bytes. */
    void await() throws IOException;

    @Override
    void close();
  }

  /** A range of a file that a reader was told of. */
  static final class Stretch {
    private final Source file;
    private final long startBytes;
    private final long endBytes;
    private Plan plan;
    private Stretch next; // null: the last

    Stretch(Source file, long startBytes, long lengthBytes) {
      this.file = file;
      this.startBytes = startBytes;
      this.endBytes = startBytes + lengthBytes;
    }

    Source file() {
      return file;
    }
  }

  /** The stretches that one reader was told of, and the piece that is read ahead. */
  private static final class Plan {
    private final Set<Stretch> left = new HashSet<>();
    private Piece piece; // null: none
    private Source pieceOf;
    private long pieceSinceNs;

    boolean covers(Source file, long offsetBytes) {
      return piece != null
          && pieceOf == file
          && offsetBytes >= piece.offsetBytes()
          && offsetBytes < piece.endBytes();
    }
  }

  /** Has no plans yet. */
  ReadAhead(int unitBytes, LongSupplier nanoTime) {
    this.unitBytes = unitBytes;
    this.nanoTime = nanoTime;
  }

  /** A reader was told of these stretches, in this order. */
  synchronized void plan(List<Stretch> stretchesInOrder) {
    if (closed || stretchesInOrder.isEmpty()) {
      return;
    }
    Plan plan = new Plan();
    Stretch last = null;
    for (Stretch stretch : stretchesInOrder) {
      stretch.plan = plan;
      if (last != null) {
        last.next = stretch;
      }
      last = stretch;
      Stretch former =
          byStart
              .computeIfAbsent(stretch.file, file -> new TreeMap<>())
              .put(stretch.startBytes, stretch);
      if (former != null) {
        leave(former);
      }
      plan.left.add(stretch);
      stretches++;
    }
    plans.add(plan);
    while (stretches > MOST_STRETCHES) {
      drop(plans.iterator().next());
    }
  }

  /** Takes bytes that were read ahead from an offset on, if any, and reads the next ones ahead. */
  Optional<LentBytes> take(Source file, long offsetBytes, int lengthBytes) {
    Piece piece = null;
    LentBytes part = null;
    synchronized (this) {
      Stretch stretch = find(file, offsetBytes);
      if (stretch == null) {
        return Optional.empty();
      }
      Plan plan = stretch.plan;
      long endBytes = Math.min(offsetBytes + Math.min(lengthBytes, unitBytes), stretch.endBytes);
      if (plan.covers(file, offsetBytes)) {
        piece = plan.piece;
        endBytes = Math.min(endBytes, piece.endBytes());
        part = piece.part(offsetBytes, (int) (endBytes - offsetBytes));
        if (endBytes == piece.endBytes()) {
          giveUpPiece(plan);
        }
      }
      if (plan.piece == null) {
        readBehind(stretch, endBytes);
      }
      if (endBytes == stretch.endBytes) {
        unlist(stretch);
        leave(stretch);
      }
    }
    return piece == null ? Optional.empty() : fetched(piece, part);
  }

  private static Optional<LentBytes> fetched(Piece piece, LentBytes part) {
    try {
      piece.await();
      return Optional.of(part);
    } catch (IOException e) { // the read that follows shows why
      part.close();
      return Optional.empty();
    } catch (RuntimeException | Error e) {
      part.close();
      throw e;
    }
  }

  private Stretch find(Source file, long offsetBytes) {
    TreeMap<Long, Stretch> of = byStart.get(file);
    Map.Entry<Long, Stretch> entry = of == null ? null : of.floorEntry(offsetBytes);
    return entry == null || offsetBytes >= entry.getValue().endBytes ? null : entry.getValue();
  }

  private void readBehind(Stretch stretch, long endBytes) {
    Stretch from = endBytes < stretch.endBytes ? stretch : stretch.next;
    if (from == null || !from.plan.left.contains(from)) {
      return;
    }
    long startBytes = from == stretch ? endBytes : from.startBytes;
    int lengthBytes = (int) Math.min(unitBytes, from.endBytes - startBytes);
    Optional<Piece> begun = from.file.readAhead(startBytes, lengthBytes);
    if (begun.isEmpty() && giveUpOldestIfStale()) {
      begun = from.file.readAhead(startBytes, lengthBytes);
    }
    if (begun.isPresent()) {
      stretch.plan.piece = begun.get();
      stretch.plan.pieceOf = from.file;
      stretch.plan.pieceSinceNs = nanoTime.getAsLong();
      ahead.add(stretch.plan);
    }
  }

  private boolean giveUpOldestIfStale() {
    if (ahead.isEmpty()) {
      return false;
    }
    Plan oldest = ahead.iterator().next();
    boolean stale = nanoTime.getAsLong() - oldest.pieceSinceNs > STALE_NS;
    if (stale) {
      giveUpPiece(oldest);
    }
    return stale;
  }

  /**
   * Gives up all pieces that nobody has fetched for a while, because their memory is wanted.
   * Returns the milliseconds until the next piece may be stale.
   */
  synchronized long giveUpStale() {
    while (giveUpOldestIfStale()) {
      // the next one
    }
    long sinceNs =
        ahead.isEmpty() ? 0 : nanoTime.getAsLong() - ahead.iterator().next().pieceSinceNs;
    return TimeUnit.NANOSECONDS.toMillis(STALE_NS - sinceNs) + 1;
  }

  private void giveUpPiece(Plan plan) {
    if (plan.piece != null) {
      plan.piece.close();
      plan.piece = null;
      ahead.remove(plan);
      if (plan.left.isEmpty()) {
        plans.remove(plan);
      }
    }
  }

  private void unlist(Stretch stretch) {
    byStart.computeIfPresent(
        stretch.file,
        (file, of) -> {
          of.remove(stretch.startBytes);
          return of.isEmpty() ? null : of;
        });
  }

  private void leave(Stretch stretch) {
    if (stretch.plan.left.remove(stretch)) {
      stretches--;
      if (stretch.plan.left.isEmpty() && stretch.plan.piece == null) {
        plans.remove(stretch.plan);
      }
    }
  }

  private void drop(Plan plan) {
    giveUpPiece(plan);
    for (Stretch stretch : new ArrayList<>(plan.left)) {
      unlist(stretch);
      leave(stretch);
    }
    plans.remove(plan);
  }

  /**
   * Nobody reads that file any more. Its pieces are given up, also if their stretches are gone:
   * another reader was told of the same range, or has read its end.
   */
  synchronized void forget(Source file) {
    for (Plan plan : List.copyOf(ahead)) {
      if (plan.pieceOf == file) {
        giveUpPiece(plan);
      }
    }
    TreeMap<Long, Stretch> of = byStart.remove(file);
    if (of != null) {
      of.values().forEach(this::leave);
    }
  }

  /** Gives up all pieces, and reads nothing more. */
  synchronized void close() {
    closed = true;
    new ArrayList<>(plans).forEach(this::drop);
    byStart.clear();
  }

  /** Number of stretches. */
  synchronized int known() {
    return stretches;
  }
}
