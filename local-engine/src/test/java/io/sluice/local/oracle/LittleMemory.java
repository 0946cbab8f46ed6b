package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.Leftovers;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.disk.Device;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;

/**
 * A process that has less memory than the settings of its jobs ask for. Each task has one attempt,
 * so one that fails fails the job.
 */
final class LittleMemory {
  private static final int MEMORY_MB = 512;

  /** Kept for as long as the process lives. */
  private static final Set<Long> DISK_BYTES =
      Set.of(0L, (long) Device.MEMORY_BYTES, (long) Device.LEAST_MEMORY_BYTES);

  private static final long TOGETHER_S = 100;
  private static CyclicBarrier together;

  private LittleMemory() {}

  /** Reduces when all reduces of the job are about to: their merges are open. */
  public static class Together extends Tasks.Digest<Text, LongWritable> {
    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      try {
        together.await(TOGETHER_S, TimeUnit.SECONDS);
      } catch (BrokenBarrierException | TimeoutException e) {
        throw new IOException("not all reduces have begun to merge", e);
      }
    }
  }

  /**
   * @param arguments a directory, exchanges with commas between, files, lines of each, reduces,
   *     threads, and settings of the engine's jobs alone, as {@code name=value}
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    String[] exchanges = arguments[1].split(",");
    int files = Integer.parseInt(arguments[2]);
    int lines = Integer.parseInt(arguments[3]);
    int reduces = Integer.parseInt(arguments[4]);
    int threads = Integer.parseInt(arguments[5]);
    List<String> settings = Arrays.asList(arguments).subList(6, arguments.length);
    Oracle oracle = new Oracle(directory);
    oracle.conf().setInt("mapreduce.map.maxattempts", 1);
    oracle.conf().setInt("mapreduce.reduce.maxattempts", 1);
    oracle.conf().setInt("sluice.local.memory-mb", MEMORY_MB);
    Inputs inputs = new Inputs(directory, new Random(1));
    inputs.files("lines", files, lines, lines);
    Oracle.Program program =
        conf -> {
          Job job = Tasks.digests(inputs.job(conf, "lines"), reduces);
          job.setMapperClass(FullStore.ManyPairs.class);
          return job;
        };
    together = new CyclicBarrier(reduces);
    Oracle.Ran stock = oracle.stock(program);
    for (String exchange : exchanges) {
      Job job = oracle.ours(program, exchange, threads);
      job.setReducerClass(reduces <= threads ? Together.class : Tasks.Digest.class);
      Configuration own = job.getConfiguration();
      for (String setting : settings) {
        own.set(setting.split("=")[0], setting.split("=")[1]);
      }
      Oracle.same(stock, oracle.succeeded(oracle.run(job)), exchange);
      Leftovers.none(oracle.conf(), directory.resolve("tmp"));
      System.out.println(exchange + ": done");
    }
    long leftBytes = OffHeap.allocatedBytes();
    assertTrue(DISK_BYTES.contains(leftBytes), leftBytes + " bytes are left");
  }
}
