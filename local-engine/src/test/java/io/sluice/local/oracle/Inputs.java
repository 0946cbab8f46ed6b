package io.sluice.local.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.IntSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/** Text files of lines {@code key number}, from a seed, in a directory of a test. */
final class Inputs {
  private final Path directory;
  private final Random random;

  Inputs(Path directory, Random random) {
    this.directory = directory;
    this.random = random;
  }

  /** Few keys are frequent. */
  int skewed(int keys) {
    return (int) Math.pow(keys, random.nextDouble()) - 1;
  }

  /** One more file of an input. */
  void file(String input, int lines, IntSupplier keys) throws IOException {
    Path of = Files.createDirectories(directory.resolve(input));
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < lines; line++) {
      text.append("key").append(keys.getAsInt()).append(' ').append(random.nextInt(1 << 20));
      text.append('\n');
    }
    Files.writeString(Files.createTempFile(of, "part", ".txt"), text);
  }

  /** So many files with the same number of lines, of skewed keys. */
  void files(String input, int files, int lines, int keys) throws IOException {
    for (int i = 0; i < files; i++) {
      file(input, lines, () -> skewed(keys));
    }
  }

  /** A job that reads that input. */
  Job job(Configuration settings, String input) throws IOException {
    Job job = Job.getInstance(settings, input);
    FileInputFormat.addInputPath(
        job, new org.apache.hadoop.fs.Path(directory.resolve(input).toUri()));
    return job;
  }
}
