package io.sluice.workloads.graph;

/**
 * What vertices know, and make of what others tell them. Thread contract: without a state of its
 * own; every task makes one.
 */
interface States {
  /** What a vertex knows of itself. */
  long[] first(long vertex);

  /** Of two states; neither the order nor how often one is merged makes a difference. */
  long[] merge(long[] some, long[] others);

  /** What is noted of the rounds up to one that ends with this state. */
  long[] note(long[] notes, long[] state);

  /** What is put out of a vertex. */
  String result(long[] state, long[] notes);
}
