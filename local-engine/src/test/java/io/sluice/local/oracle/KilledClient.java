package io.sluice.local.oracle;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** A process with one job, whose reduces wait to be killed or do not. */
final class KilledClient {
  static final String BEGUN = "the reduces have begun";
  private static final int FILES = 3;
  private static final int LINES = 2_000;

  private KilledClient() {}

  /** Has the output of all maps, says so, and waits. */
  public static class Waits extends Tasks.Digest<Object, Object> {
    @Override
    protected void setup(Context context) throws InterruptedException {
      System.out.println(BEGUN);
      new CountDownLatch(1).await();
    }
  }

  static Path memory(Path directory) {
    return directory.resolve("memory");
  }

  static Path disk(Path directory) {
    return directory.resolve("tmp/sluice");
  }

  /**
   * @param arguments a directory, the store's memory in MiB, and whether the reduces wait
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Oracle oracle = new Oracle(directory);
    oracle.conf().set("sluice.local.dir", memory(directory).toString());
    oracle.conf().setLong(MRJobConfig.TASK_TIMEOUT, 0);
    oracle.conf().set("sluice.local.memory-mb", arguments[1]);
    Inputs inputs = new Inputs(directory.resolve("inputs"), new Random(1));
    String input = "lines" + ProcessHandle.current().pid(); // the next process makes its own
    inputs.files(input, FILES, LINES, LINES);
    Oracle.Program program = settings -> Tasks.digests(inputs.job(settings, input), 2);
    if (Boolean.parseBoolean(arguments[2])) {
      Job job = oracle.ours(program, "pull", 2);
      job.setReducerClass(Waits.class);
      oracle.run(job);
    } else {
      oracle.sameAs(oracle.stock(program), program, "pull", 2);
    }
  }
}
