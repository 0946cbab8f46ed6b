package io.sluice.bench.codecs;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.codecs.MergeProgram.BenchCodec;
import io.sluice.bench.codecs.MergeProgram.MergeCost;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeTask;
import io.sluice.bench.codecs.MergeProgram.MergeRunner;
import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jpountz.lz4.LZ4Factory;

/**
 * Each merge in a process of its own ({@link MergeProgram}), on stock's jars, Sluice's and LZ4's,
 * which Hadoop does not ship.
 *
 * <p>One thread. Ownership: the caller of {@link #open} closes it, which deletes all files.
 * Failure: a process that fails is a {@link ClusterException} with the end of what it said.
 */
final class MergeProcesses implements MergeRunner, AutoCloseable {
  static final List<String> JVM_OPTIONS = List.of("-Xmx1g", "-XX:+UseSerialGC");

  private final ClusterDirectory directory;
  private final LocalJobClient client;

  private MergeProcesses(ClusterDirectory directory, LocalJobClient client) {
    this.directory = directory;
    this.client = client;
  }

  /** With all files in a new directory in that place; what killed ones have left is deleted. */
  static MergeProcesses open(Workspace workspace, Path place) {
    ClusterDirectory.removeLeftovers(place);
    HadoopDistribution hadoop = HadoopDistribution.underTest(workspace);
    Path engineJar =
        SluiceFragments.load(workspace)
            .orElseThrow(() -> new ClusterException("Sluice's jar for Hadoop is not built"))
            .jar();
    List<Path> jars = List.of(engineJar, jarOf(LZ4Factory.class));
    ClusterDirectory directory = ClusterDirectory.create(place);
    return new MergeProcesses(
        directory, LocalJobClient.ofJars(hadoop, jars, directory.path(), JVM_OPTIONS));
  }

  /** On which its files lie. */
  String fileSystem() {
    try {
      return Files.getFileStore(directory.path()).type();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell the file system of " + directory.path(), e);
    }
  }

  private static Path jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(type.getName() + " is nowhere", e);
    }
  }

  @Override
  public Map<BenchCodec, String> missing() {
    try {
      return new ObjectMapper().readValue(start(List.of()).toFile(), new TypeReference<>() {});
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read which codecs there are", e);
    }
  }

  @Override
  public MergeCost run(MergeTask task) {
    Path files = directory.path().resolve("merge");
    try {
      return MergeCost.read(
          start(
              List.of(
                  files.toString(),
                  task.variant().name(),
                  task.codec().name(),
                  Integer.toString(task.maps()),
                  Long.toString(task.records()))));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read what a merge took", e);
    } finally {
      Workspace.delete(files);
    }
  }

  /** Runs the program, and says where its result is. */
  private Path start(List<String> more) {
    Path result = directory.path().resolve("result.json");
    List<String> arguments =
        new ArrayList<>(List.of(MergeProgram.class.getName(), result.toString()));
    arguments.addAll(more);
    client.run(jarOf(MergeProgram.class), arguments);
    return result;
  }

  @Override
  public void close() {
    directory.delete();
  }
}
