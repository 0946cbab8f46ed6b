package io.sluice.spill.ledger;

import io.sluice.spill.ledger.Holding.HolderRole;

/** A reduce task: receives in steps, reads for a while, and gives back. */
final class ModelReduce extends ModelTask {
  private static final long STEP = 16;

  private long left;

  ModelReduce(LedgerModel model, String application, Hearing hearing, int steps) {
    super(model, application, HolderRole.REDUCE, hearing);
    this.left = steps;
  }

  @Override
  void work() {
    if (left == 0) {
      if (held(MemoryKind.RECEIVE) > 0) {
        giveBack(MemoryKind.RECEIVE, held(MemoryKind.RECEIVE));
      }
      leave();
      return;
    }
    left--;
    ask(MemoryKind.RECEIVE, STEP, STEP, model.patience(), got -> in(100, this::work));
  }

  @Override
  void obey(MemoryKind kind, Runnable then) {
    long tooMuch = held(kind) - told.get(kind).keepBytes();
    if (tooMuch > 0) {
      giveBack(kind, tooMuch);
    }
    then.run();
  }
}
