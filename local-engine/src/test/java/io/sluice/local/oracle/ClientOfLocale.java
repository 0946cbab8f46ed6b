package io.sluice.local.oracle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.v2.jobhistory.JHAdminConfig;

/** A process that runs jobs beside stock's, in the locale that it was started in. */
final class ClientOfLocale {
  static final String OUTPUT = "sluice:///files/";

  private ClientOfLocale() {}

  /**
   * @param arguments a directory
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Oracle oracle = new Oracle(directory);
    oracle.conf().set("sluice.local.memory-mb", "8"); // some of it goes to the disk
    oracle
        .conf()
        .set(
            JHAdminConfig.MR_HISTORY_INTERMEDIATE_DONE_DIR,
            Files.createDirectories(directory.resolve("history")).toUri().toString());
    Inputs inputs = new Inputs(directory.resolve("inputs"), new Random(1));
    inputs.files("lines", 12, 20_000, 20_000);
    oracle.sameAsStock(settings -> Tasks.digests(inputs.job(settings, "lines"), 2), 2);
    FileSystem memory = new org.apache.hadoop.fs.Path(OUTPUT).getFileSystem(oracle.conf());
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(OUTPUT, "file");
    memory.create(file).close();
    memory.append(file).close();
    memory.open(memory.getPathHandle(memory.getFileStatus(file))).close();
  }
}
