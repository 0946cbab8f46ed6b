package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import io.sluice.spill.ledger.Holding.HolderRole;

/** A map task: fills its sort buffer, spills it, and commits its runs. */
final class ModelMap extends ModelTask {
  /** What one that borrows all that it sorts in has for as long as it is lent nothing. */
  private static final long LITTLE = 16;

  private final long step;
  private final long rate;
  private final double ratio;
  private long left;
  private long buffered;
  long spilledToDisk;
  long tickMs = 10;

  ModelMap(
      LedgerModel model, String application, Hearing hearing, long size, long rate, double ratio) {
    super(model, application, HolderRole.MAP, hearing);
    this.step = model.capacity < 256 ? 8 : 16;
    this.left = size;
    this.rate = rate;
    this.ratio = ratio;
  }

  /** Sorts in so much of its own, and borrows what is beyond. */
  ModelMap withOwn(long bytes) {
    ownSortBytes = bytes;
    return this;
  }

  @Override
  void work() {
    if (left == 0) {
      spill(
          () -> {
            commit();
            leave();
          });
      return;
    }
    long room = ownSortBytes + held(MemoryKind.SORT);
    room = room == 0 ? LITTLE : room;
    if (buffered < room) {
      long filled = Math.min(Math.min(rate, left), room - buffered);
      buffered += filled;
      left -= filled;
      in(tickMs, this::work);
    } else if (!model.disk.exists() && !model.lendsWithoutDisk) {
      spill(this::work); // sorts in its own memory
    } else {
      boolean loan = ownSortBytes + held(MemoryKind.SORT) + step > model.terms.claimBytes();
      ask(
          MemoryKind.SORT,
          step,
          2 * step,
          loan ? WaitLimit.NONE : model.patience(),
          got -> {
            if (got > 0) {
              work();
            } else {
              spill(this::work);
            }
          });
    }
  }

  private void spill(Runnable then) {
    long out = Math.round(buffered * ratio);
    if (out == 0) {
      emptied();
      then.run();
      return;
    }
    long sorted = held(MemoryKind.SORT);
    long most = Math.min(out, model.ledger.stats().capacityBytes()); // what is beyond has no chance
    write(
        most,
        Math.max(0, most - sorted),
        got -> {
          Property.ROOM.check(got >= Math.min(out, sorted), () -> this);
          return model.disk.take(out - got);
        },
        got -> {
          spilledToDisk += out - got;
          emptied();
          in(1 + (out - got) * 5, then);
        });
  }

  private void emptied() {
    buffered = 0;
    if (held(MemoryKind.SORT) > 0) {
      giveBack(MemoryKind.SORT, held(MemoryKind.SORT));
    }
  }

  @Override
  void obey(MemoryKind kind, Runnable then) {
    if (held(kind) > told.get(kind).keepBytes()) {
      spill(then);
    } else {
      then.run();
    }
  }
}
