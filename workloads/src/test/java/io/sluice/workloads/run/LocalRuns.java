package io.sluice.workloads.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Programs on stock's LocalJobRunner, in a directory of a test. */
public final class LocalRuns {
  private final Path directory;

  public LocalRuns(Path directory) {
    this.directory = directory;
  }

  private Configuration conf() {
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 1);
    conf.setInt("mapreduce.job.reduces", 3);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 10);
    conf.setInt("mapreduce.client.completion.pollinterval", 10);
    return conf;
  }

  /** An absolute path in the directory. */
  public String path(String name) {
    return directory.resolve(name).toString();
  }

  /** Writes an input of one file. */
  public String write(String name, List<String> lines) throws IOException {
    Path input = Files.createDirectories(directory.resolve(name));
    Files.write(input.resolve("file"), lines);
    return input.toString();
  }

  /** Runs a program, which must succeed. */
  public void run(Tool program, String... arguments) throws Exception {
    assertEquals(0, ToolRunner.run(conf(), program, arguments));
  }

  /** The lines of all parts, by part. */
  public List<String> lines(String output) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(directory.resolve(output))) {
      for (Path part : parts.sorted().toList()) {
        if (!part.getFileName().toString().matches("[._].*")) {
          lines.addAll(Files.readAllLines(part));
        }
      }
    }
    return lines;
  }

  /** The same, in their own order. */
  public List<String> sortedLines(String output) throws IOException {
    return lines(output).stream().sorted().toList();
  }
}
