package io.sluice.workloads.graph;

/**
 * Finds which vertices edges connect: Pegasus' Concmpt in Mammoth, Table 2, and in Flame-MR 4. In:
 * edges. Out: {@code vertex component}, which is the least vertex of it, if there are enough
 * rounds.
 */
public final class ConnectedComponents extends Propagation {
  public ConnectedComponents() {
    super(Least.class);
  }

  /** The least vertex that one has heard of. */
  static final class Least implements States {
    private static final long[] NOTHING = {};

    @Override
    public long[] first(long vertex) {
      return new long[] {vertex};
    }

    @Override
    public long[] merge(long[] some, long[] others) {
      return some[0] <= others[0] ? some : others;
    }

    @Override
    public long[] note(long[] notes, long[] state) {
      return NOTHING;
    }

    @Override
    public String result(long[] state, long[] notes) {
      return Long.toString(state[0]);
    }
  }
}
