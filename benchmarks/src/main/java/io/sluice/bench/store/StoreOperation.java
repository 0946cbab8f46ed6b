package io.sluice.bench.store;

/** What the store does under its lock, for one task while others wait. */
enum StoreOperation {
  LEASE("lease a block"),
  LEASE_IN_PIECES("lease 64 blocks, where every other one is free"),
  COMMIT("commit"),
  FIND("find"),
  FREE("free an output"),
  MOVE_ORDER("say which output leaves memory next");

  private final String title;

  StoreOperation(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
