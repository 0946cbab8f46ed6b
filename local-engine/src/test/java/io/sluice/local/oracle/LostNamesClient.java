package io.sluice.local.oracle;

import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.mapreduce.Job;

/** A process whose reduces remove the names of all that is in its memory, before they read it. */
final class LostNamesClient {
  private static final String MEMORY = "sluice.test.memory";

  private LostNamesClient() {}

  /** Removes them. */
  public static class Removes extends Tasks.Digest<Object, Object> {
    @Override
    protected void setup(Context context) throws IOException {
      Path memory = Path.of(context.getConfiguration().get(MEMORY));
      try (var names = Files.newDirectoryStream(memory)) {
        for (Path name : names) {
          PrivateDirectory.delete(name);
        }
      }
    }
  }

  /**
   * @param arguments a directory
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Path memory = Files.createDirectories(directory.resolve("memory"));
    Oracle oracle = new Oracle(directory);
    oracle.conf().set("sluice.local.dir", memory.toString());
    oracle.conf().set(MEMORY, memory.toString());
    Inputs inputs = new Inputs(directory.resolve("inputs"), new Random(1));
    inputs.files("lines", 4, 20_000, 20_000);
    Oracle.Program program =
        settings -> {
          Job job = Tasks.digests(inputs.job(settings, "lines"), 3);
          job.setReducerClass(Removes.class);
          return job;
        };
    oracle.sameAsStock(program, 2);
    oracle.sameAsStock(program, 2); // there are names again
  }
}
