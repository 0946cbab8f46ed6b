package io.sluice.bench.local;

import io.sluice.bench.Variant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import io.sluice.it.local.LocalJobClient.ProcessCosts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Hadoop's example jobs over files of this machine, each run by a client of its own, and whether
 * their outputs are right.
 *
 * <p>Not thread-safe. A job that fails or an output that is wrong is a {@link ClusterException}.
 */
final class LocalJobs {
  private static final int ROW_LENGTH_BYTES = 100;
  private static final int REDUCES = 2;
  private static final long SPLIT_BYTES = 128L << 20;

  private final LocalJobClient client;
  private final Path examples;
  private final Path directory;

  /** With all files below that directory, which is its caller's. */
  LocalJobs(LocalJobClient client, Path examples, Path directory) {
    this.client = client;
    this.examples = examples;
    this.directory = directory;
  }

  Path path(String name) {
    return directory.resolve(name);
  }

  private ProcessCosts run(LocalVariant variant, String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(variant.settings());
    command.add("-Dmapreduce.job.reduces=" + REDUCES);
    command.add("-Dmapreduce.input.fileinputformat.split.minsize=" + SPLIT_BYTES);
    command.add("-Dhadoop.tmp.dir=" + path("tmp"));
    command.addAll(List.of(arguments));
    return client.run(examples, command);
  }

  private static String uri(Path path) {
    return path.toUri().toString();
  }

  /** Makes TeraSort's input, once. */
  void teraGen(long sizeBytes) {
    run(
        LocalVariant.SLUICE,
        "teragen",
        "-Dmapreduce.job.maps=2",
        Long.toString(sizeBytes / ROW_LENGTH_BYTES),
        uri(path("tera")));
  }

  /** Sorts it; what an earlier run has put out is removed, and counted for none. */
  ProcessCosts teraSort(LocalVariant variant) {
    Path output = fresh("sorted-" + variant);
    return run(variant, "terasort", uri(path("tera")), uri(output));
  }

  /** TeraValidate's report: the checksum of all records, if they are in order. */
  String teraReport(LocalVariant variant) {
    return teraReport(path("sorted-" + variant));
  }

  /** The same of any output below the directory. */
  String teraReport(Path sorted) {
    Path report = fresh("report-" + sorted.getFileName());
    run(LocalVariant.STOCK, "teravalidate", uri(sorted), uri(report));
    String text = String.join("", contents(report).values());
    if (!text.matches("checksum\t[0-9a-f]+\n")) {
      throw new ClusterException("TeraSort, %s: %s".formatted(sorted.getFileName(), text));
    }
    return text.strip();
  }

  ProcessCosts wordCount(LocalVariant variant, Path text) {
    Path output = fresh("words-" + variant);
    return run(variant, "wordcount", uri(text), uri(output));
  }

  /** WordCount's output, by file. */
  Map<String, String> words(LocalVariant variant) {
    return contents(path("words-" + variant));
  }

  private Path fresh(String name) {
    Path output = path(name);
    Workspace.delete(output);
    return output;
  }

  private static Map<String, String> contents(Path output) {
    Map<String, String> byFile = new TreeMap<>();
    try (Stream<Path> files = Files.list(output)) {
      for (Path file :
          files.filter(each -> !each.getFileName().toString().startsWith(".")).toList()) {
        byFile.put(file.getFileName().toString(), Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + output, e);
    }
    return byFile;
  }

  /** The engine that runs a job in its client's process. */
  public enum LocalVariant implements Variant {
    /** As it is by default: one task at a time. */
    STOCK("LocalJobRunner", "-Dmapreduce.framework.name=local"),
    /** With a task for each core. */
    STOCK_PARALLEL(
        "LocalJobRunner, parallel",
        "-Dmapreduce.framework.name=local",
        "-Dmapreduce.local.map.tasks.maximum=" + Runtime.getRuntime().availableProcessors(),
        "-Dmapreduce.local.reduce.tasks.maximum=" + Runtime.getRuntime().availableProcessors()),
    SLUICE("Sluice", "-Dmapreduce.framework.name=sluice");

    private final String title;
    private final List<String> settings;

    LocalVariant(String title, String... settings) {
      this.title = title;
      this.settings = List.of(settings);
    }

    @Override
    public String title() {
      return title;
    }

    /** Among a job's generic options. */
    List<String> settings() {
      return settings;
    }
  }
}
