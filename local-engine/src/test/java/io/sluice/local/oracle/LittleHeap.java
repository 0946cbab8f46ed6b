package io.sluice.local.oracle;

import io.sluice.local.Leftovers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;

/** A process in which a map eats the heap, and the next job does not; prints how they end. */
final class LittleHeap {
  private static final int FILES = 2;
  private static final int LINES = 1_000;
  private static final int PIECE_BYTES = 1 << 20;

  private LittleHeap() {}

  /** The first map takes what there is, and holds it until there is no more. */
  public static class Eats extends Tasks.Pairs {
    @Override
    protected void cleanup(Context context) {
      List<byte[]> eaten = new ArrayList<>();
      while (context.getTaskAttemptID().getTaskID().getId() == 0) {
        eaten.add(new byte[PIECE_BYTES]);
      }
    }
  }

  /**
   * @param arguments a directory
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Oracle oracle = new Oracle(directory);
    oracle.conf().setInt("mapreduce.map.maxattempts", 2);
    Inputs inputs = new Inputs(directory, new Random(1));
    inputs.files("lines", FILES, LINES, LINES);
    Oracle.Program program = settings -> Tasks.digests(inputs.job(settings, "lines"), 2);
    Oracle.Ran stock = oracle.stock(program);
    for (String exchange : Oracle.EXCHANGES) {
      Job eats = oracle.ours(program, exchange, 2);
      eats.setMapperClass(Eats.class);
      oracle.run(eats);
      if (eats.getStatus().getState() != JobStatus.State.FAILED) {
        throw new AssertionError(exchange + " ends " + eats.getStatus().getState());
      }
      System.out.println(exchange + ": " + Oracle.failure(eats));
      oracle.sameAs(stock, program, exchange, 2);
      Leftovers.none(oracle.conf(), directory.resolve("tmp"));
    }
  }
}
