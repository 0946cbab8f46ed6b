package io.sluice.workloads.graph;

import io.sluice.workloads.run.Longs;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Writable;

/**
 * A vertex of an undirected graph: a state that its neighbours are told, what is noted of it round
 * by round, and its neighbours, of which every one has some. What a neighbour tells is one too,
 * with the state alone.
 *
 * <p>Thread contract: not thread-safe. Ownership: no array is copied.
 */
final class Vertex implements Writable {
  private static final long[] NONE = {};

  private Longs state = new Longs(NONE);
  private Longs notes = new Longs(NONE);
  private Longs neighbours = new Longs(NONE);

  /** Of nothing; Hadoop reads into it. */
  Vertex() {}

  Vertex(long[] state, long[] notes, long[] neighbours) {
    this.state = new Longs(state);
    this.notes = new Longs(notes);
    this.neighbours = new Longs(neighbours);
  }

  /** What a neighbour tells. */
  static Vertex told(long[] state) {
    return new Vertex(state, NONE, NONE);
  }

  long[] state() {
    return state.values();
  }

  long[] notes() {
    return notes.values();
  }

  long[] neighbours() {
    return neighbours.values();
  }

  /** Not the vertex, but what one of its neighbours told. */
  boolean isTold() {
    return neighbours().length == 0;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    state.write(out);
    notes.write(out);
    neighbours.write(out);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    state.readFields(in);
    notes.readFields(in);
    neighbours.readFields(in);
  }
}
