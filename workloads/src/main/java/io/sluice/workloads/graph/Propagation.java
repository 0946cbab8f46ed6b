package io.sluice.workloads.graph;

import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * A program whose vertices send their states to their neighbours, a job for each round, until no
 * state changes. One job before makes the vertices; one of maps alone writes the result. Rounds
 * have combiners. Edges have no direction.
 */
abstract class Propagation extends Program {
  private static final String STATES = "workloads.graph.states";

  private final Class<? extends States> states;

  Propagation(Class<? extends States> states) {
    super("edges", "output", "most-rounds");
    this.states = states;
  }

  @Override
  protected final void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[1]);
    int mostRounds = positive(arguments[2]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path vertices = steps.next();
      makeVertices(new Path(arguments[0]), vertices);
      boolean changed = true;
      for (int round = 0; changed && round < mostRounds; round++) {
        Path next = steps.next();
        changed = runRound(vertices, next);
        vertices = next;
      }
      putOut(vertices, output);
    }
  }

  private Job newStep(String step, Path input, Path output) throws IOException {
    Job job = newJob(getClass().getSimpleName() + ", " + step, input, output);
    job.getConfiguration().setClass(STATES, states, States.class);
    job.setOutputKeyClass(LongWritable.class);
    return job;
  }

  private void makeVertices(Path edges, Path vertices) throws Exception {
    Job job = newStep("vertices", edges, vertices);
    job.setMapperClass(Edges.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setReducerClass(Start.class);
    job.setOutputValueClass(Vertex.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    finish(job);
  }

  private boolean runRound(Path vertices, Path next) throws Exception {
    Job job = newStep("round", vertices, next);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Send.class);
    job.setCombinerClass(Combine.class);
    job.setReducerClass(Update.class);
    job.setOutputValueClass(Vertex.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    return finish(job).findCounter(Count.CHANGED).getValue() > 0;
  }

  private void putOut(Path vertices, Path output) throws Exception {
    Job job = newStep("result", vertices, output);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Result.class);
    job.setNumReduceTasks(0);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The states of a program's vertices. Thread contract: stateless; each task makes one. */
  interface States {
    /** The state of a vertex before it hears of others. */
    long[] first(long vertex);

    /** Merges two states, in any order and any number of times. */
    long[] merge(long[] some, long[] others);

    /** The notes of a vertex after a round that ends with this state. */
    long[] note(long[] notes, long[] state);

    /** The text of a vertex in the result. */
    String result(long[] state, long[] notes);
  }

  private static States states(Configuration conf) {
    return ReflectionUtils.newInstance(conf.getClass(STATES, null, States.class), conf);
  }

  /** A reducer that makes vertices by the program's states. */
  private abstract static class StatesReducer<V>
      extends Reducer<LongWritable, V, LongWritable, Vertex> {
    States states;

    @Override
    protected void setup(Context context) {
      states = states(context.getConfiguration());
    }
  }

  /** A round follows unless its count is zero. */
  enum Count {
    /** Vertices whose state the round changed. */
    CHANGED
  }

  /** Reads {@code from,to}, and writes both ends of an edge, each with the other one. */
  static final class Edges extends Mapper<LongWritable, Text, LongWritable, LongWritable> {
    private final LongWritable from = new LongWritable();
    private final LongWritable to = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] ends = line.toString().split(",");
      from.set(Long.parseLong(ends[0]));
      to.set(Long.parseLong(ends[1]));
      context.write(from, to);
      context.write(to, from);
    }
  }

  /** Makes a vertex of its neighbours. */
  static final class Start extends StatesReducer<LongWritable> {
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

  /** Sends the state to the neighbours, and passes the vertex on. */
  static final class Send extends Mapper<LongWritable, Vertex, LongWritable, Vertex> {
    private final LongWritable neighbour = new LongWritable();

    @Override
    protected void map(LongWritable key, Vertex vertex, Context context)
        throws IOException, InterruptedException {
      context.write(key, vertex);
      Vertex message = Vertex.message(vertex.state());
      for (long other : vertex.neighbours()) {
        neighbour.set(other);
        context.write(neighbour, message);
      }
    }
  }

  /** The vertex, if it is among these parts, and the merged states of its neighbours. */
  private static final class Parts {
    private Vertex vertex;
    private long[] received;

    Parts(States states, Iterable<Vertex> parts) {
      for (Vertex part : parts) {
        if (!part.isMessage()) {
          vertex = new Vertex(part.state(), part.notes(), part.neighbours());
        } else {
          received = received == null ? part.state() : states.merge(received, part.state());
        }
      }
    }
  }

  /** Merges the states for a vertex, as a combiner. Only {@link Update} can see what is new. */
  static final class Combine extends StatesReducer<Vertex> {
    @Override
    protected void reduce(LongWritable key, Iterable<Vertex> all, Context context)
        throws IOException, InterruptedException {
      Parts parts = new Parts(states, all);
      if (parts.vertex != null) {
        context.write(key, parts.vertex);
      }
      if (parts.received != null) {
        context.write(key, Vertex.message(parts.received));
      }
    }
  }

  /** Computes the next state of a vertex. */
  static final class Update extends StatesReducer<Vertex> {
    @Override
    protected void reduce(LongWritable key, Iterable<Vertex> all, Context context)
        throws IOException, InterruptedException {
      Parts parts = new Parts(states, all);
      Vertex before = parts.vertex;
      long[] state = states.merge(before.state(), parts.received);
      if (!Arrays.equals(before.state(), state)) {
        context.getCounter(Count.CHANGED).increment(1);
      }
      context.write(
          key, new Vertex(state, states.note(before.notes(), state), before.neighbours()));
    }
  }

  /** Writes the result of a vertex. */
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

  /**
   * A vertex of an undirected graph: its state, notes of it round by round, and its neighbours, at
   * least one. A vertex without neighbours stands for the state that a neighbour sent.
   *
   * <p>Thread contract: not thread-safe. Ownership: no array is copied.
   */
  static final class Vertex implements Writable {
    private static final long[] NONE = {};

    private final Longs state;
    private final Longs notes;
    private final Longs neighbours;

    /** Hadoop reads into it. */
    Vertex() {
      this(NONE, NONE, NONE);
    }

    Vertex(long[] state, long[] notes, long[] neighbours) {
      this.state = new Longs(state);
      this.notes = new Longs(notes);
      this.neighbours = new Longs(neighbours);
    }

    /** The state that a neighbour sends. */
    static Vertex message(long[] state) {
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

    /** Whether it stands for the state of a neighbour. */
    boolean isMessage() {
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
}
