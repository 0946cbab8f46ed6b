package io.sluice.spill.ledger;

import io.sluice.spill.ledger.Holding.HolderRole;

/** A task of an executor: writes pieces, and commits them. */
final class ModelWriter extends ModelTask {
  private long left;

  ModelWriter(LedgerModel model, String application, int pieces) {
    super(model, application, HolderRole.EXECUTOR, Hearing.NONE); // it holds nothing to give back
    this.left = pieces;
  }

  @Override
  void work() {
    if (left == 0) {
      commit();
      leave();
      return;
    }
    left--;
    long piece = 1 + model.random.nextInt(32);
    write(
        piece,
        piece,
        got -> model.disk.take(piece - got),
        got -> in(20 + (piece - got) * 5, this::work));
  }

  @Override
  void obey(MemoryKind kind, Runnable then) {
    then.run();
  }
}
