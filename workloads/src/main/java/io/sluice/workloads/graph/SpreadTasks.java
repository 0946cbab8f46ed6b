package io.sluice.workloads.graph;

import java.io.IOException;
import java.util.Arrays;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ReflectionUtils;

/** The tasks of {@link RankSpread}'s jobs. */
final class SpreadTasks {
  private static final String STATES = "workloads.graph.states";

  private SpreadTasks() {}

  /** What decides about another round. */
  enum Count {
    /** Vertices with another state than before. */
    CHANGED
  }

  static void setStates(Configuration conf, Class<? extends States> kind) {
    conf.setClass(STATES, kind, States.class);
  }

  private static States states(Configuration conf) {
    return ReflectionUtils.newInstance(conf.getClass(STATES, null, States.class), conf);
  }

  /** Makes a vertex of its neighbours. */
  static final class Start extends Reducer<LongWritable, LongWritable, LongWritable, Vertex> {
    private States states;

    @Override
    protected void setup(Context context) {
      states = states(context.getConfiguration());
    }

    @Override
    protected void reduce(LongWritable key, Iterable<LongWritable> ends, Context context)
        throws IOException, InterruptedException {
      TreeSet<Long> neighbours = new TreeSet<>();
      ends.forEach(end -> neighbours.add(end.get()));
      long[] state = states.first(key.get());
      context.write(
          key,
          new Vertex(
              state,
              states.note(new long[0], state),
              neighbours.stream().mapToLong(Long::longValue).toArray()));
    }
  }

  /** Tells the neighbours, and passes the vertex on. */
  static final class Tell extends Mapper<LongWritable, Vertex, LongWritable, Vertex> {
    private final LongWritable neighbour = new LongWritable();

    @Override
    protected void map(LongWritable key, Vertex vertex, Context context)
        throws IOException, InterruptedException {
      context.write(key, vertex);
      Vertex told = Vertex.told(vertex.state());
      for (long other : vertex.neighbours()) {
        neighbour.set(other);
        context.write(neighbour, told);
      }
    }
  }

  /** A vertex, if it is among these parts, and all that it is told. */
  private static final class Parts {
    private Vertex vertex;
    private long[] told;

    Parts(States states, Iterable<Vertex> parts) {
      for (Vertex part : parts) {
        if (!part.isTold()) {
          vertex = new Vertex(part.state(), part.notes(), part.neighbours());
        } else {
          told = told == null ? part.state() : states.merge(told, part.state());
        }
      }
    }
  }

  /** Merges what a vertex is told, as a combiner: whether that is new, only it itself can say. */
  static final class Combine extends Reducer<LongWritable, Vertex, LongWritable, Vertex> {
    private States states;

    @Override
    protected void setup(Context context) {
      states = states(context.getConfiguration());
    }

    @Override
    protected void reduce(LongWritable key, Iterable<Vertex> all, Context context)
        throws IOException, InterruptedException {
      Parts parts = new Parts(states, all);
      if (parts.vertex != null) {
        context.write(key, parts.vertex);
      }
      if (parts.told != null) {
        context.write(key, Vertex.told(parts.told));
      }
    }
  }

  /** The next state of a vertex. */
  static final class Hear extends Reducer<LongWritable, Vertex, LongWritable, Vertex> {
    private States states;

    @Override
    protected void setup(Context context) {
      states = states(context.getConfiguration());
    }

    @Override
    protected void reduce(LongWritable key, Iterable<Vertex> all, Context context)
        throws IOException, InterruptedException {
      Parts parts = new Parts(states, all);
      Vertex before = parts.vertex;
      long[] state = states.merge(before.state(), parts.told);
      if (!Arrays.equals(before.state(), state)) {
        context.getCounter(Count.CHANGED).increment(1);
      }
      context.write(
          key, new Vertex(state, states.note(before.notes(), state), before.neighbours()));
    }
  }

  /** What is known in the end. */
  static final class Result extends Mapper<LongWritable, Vertex, LongWritable, Text> {
    private final Text result = new Text();
    private States states;

    @Override
    protected void setup(Context context) {
      states = states(context.getConfiguration());
    }

    @Override
    protected void map(LongWritable key, Vertex vertex, Context context)
        throws IOException, InterruptedException {
      result.set(states.result(vertex.state(), vertex.notes()));
      context.write(key, result);
    }
  }
}
