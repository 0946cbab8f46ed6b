package io.sluice.local.streaming;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.streaming.StreamJob;
import org.apache.hadoop.util.ToolRunner;

/** One run of the streaming tool, as {@code hadoop jar hadoop-streaming.jar} starts it. */
final class StreamingRun extends StreamJob {
  private static final int POLL_MS = 20;
  private static final int REPORT_MS = 50;

  private final Path directory;
  private final Configuration settings;

  /** In a directory of a test, on that framework. */
  StreamingRun(Path directory, String framework) {
    this.directory = directory;
    this.settings = new Configuration();
    settings.set(MRConfig.FRAMEWORK_NAME, framework);
    settings.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    settings.setInt("mapreduce.task.io.sort.mb", 4);
    settings.setInt("sluice.local.memory-mb", 256);
    settings.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, POLL_MS);
    settings.setInt(Job.PROGRESS_MONITOR_POLL_INTERVAL_KEY, POLL_MS);
    settings.setInt("mapreduce.task.progress-report.interval", REPORT_MS);
  }

  Configuration settings() {
    return settings;
  }

  private Path output() {
    return directory.resolve("output-" + settings.get(MRConfig.FRAMEWORK_NAME));
  }

  /** Runs it on the files of {@code input} there; returns the tool's status. */
  int run(List<String> arguments) throws Exception {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of("-input", directory.resolve("input").toUri().toString()));
    all.addAll(List.of("-output", output().toUri().toString()));
    return ToolRunner.run(settings, this, all.toArray(String[]::new));
  }

  /** What has become of it. */
  RunningJob job() {
    return running_;
  }

  /** Each file of the output by name, a character for a byte. */
  TreeMap<String, String> outputs() throws IOException {
    TreeMap<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(output())) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith(".")) {
          all.put(name, Files.readString(file, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return all;
  }
}
