package io.sluice.rdma.transport.verbs;

/** What a port speaks on the wire; both ends of a connection must speak the same. */
enum LinkKind {
  // The order is that on the wire: a new one goes to the end.
  INFINIBAND("InfiniBand"),
  ROCE_V1("RoCE v1"),
  ROCE_V2("RoCE v2");

  private final String words;

  LinkKind(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
