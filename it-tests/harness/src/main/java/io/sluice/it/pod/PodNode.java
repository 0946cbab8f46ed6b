package io.sluice.it.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.it.limit.LimitDirectory;
import io.sluice.it.limit.LimitException;
import io.sluice.it.limit.LoopVolume.Programs;
import io.sluice.it.limit.ResourceGroups;
import io.sluice.it.pod.PodNetwork.Netns;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A node for pods of executors, which Spark's own backend for Kubernetes asks for: {@link PodApi}
 * takes what it wants, and each pod runs as a {@link PodProcess} at an address of its own. The
 * image is this machine's files with a distribution of Spark in {@code /opt/spark}.
 *
 * <p>Not for what Kubernetes itself does: no scheduler, no probes, no restarts, and a deleted pod
 * is gone at once.
 *
 * <p>Thread contract: safe from any thread. Its starter closes it, which kills all pods and removes
 * their files.
 */
public final class PodNode implements AutoCloseable {
  private static final Path IMAGE = Path.of("/opt/spark");
  private static final Path WORK = IMAGE.resolve("work-dir");
  private static final String DRIVER_POD = "driver";

  private final Path parent;
  private final LimitDirectory directory;
  private final Path sparkHome;
  private final Path javaHome;
  private final PodNetwork network;
  private final PodApi api;
  private final List<PodProcess> pods = new ArrayList<>();

  private PodNode(Path parent, Path sparkHome, Path javaHome) throws IOException {
    this.parent = parent;
    this.directory = LimitDirectory.create(parent);
    this.sparkHome = sparkHome;
    this.javaHome = javaHome;
    try {
      this.network = PodNetwork.create();
    } catch (RuntimeException | Error e) {
      Closer.after(e, directory::close);
      throw e;
    }
    try {
      this.api = new PodApi(this::run, this::end);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, network::close);
      Closer.after(e, directory::close);
      throw e;
    }
    api.put(PodApi.PODS, DRIVER_POD);
    api.setPhase(DRIVER_POD, "Running", network.hostAddress());
  }

  /** Why none can be started here; empty if one can. */
  public static Optional<String> unavailableBecause() {
    return ResourceGroups.severalUnavailableBecause()
        .or(
            () ->
                Stream.concat(PodNetwork.PROGRAMS.stream(), PodProcess.PROGRAMS.stream())
                    .filter(program -> Programs.find(program).isEmpty())
                    .findFirst()
                    .map(program -> program + " is not installed"))
        .or(PodNode::unsharedBecause)
        .or(PodNetwork::unavailableBecause);
  }

  private static Optional<String> unsharedBecause() {
    try {
      Programs.run("unshare", "-m", "-n", "-p", "-u", "-i", "--fork", "true");
      return Optional.empty();
    } catch (LimitException e) {
      return Optional.of("containers need root, and namespaces: " + e.getMessage());
    }
  }

  /**
   * Starts one without pods.
   *
   * @param parent where its files go, with those that a killed one left
   */
  public static PodNode start(Path parent, Path sparkHome, Path javaHome) {
    try {
      return new PodNode(parent, sparkHome, javaHome);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a node for pods", e);
    }
  }

  /** As {@code spark-submit} is told. */
  public String master() {
    return api.master();
  }

  /**
   * What the environment of a driver on this machine needs, so that pods reach it, and it the API
   * alone: not a proxy, nor the cluster of who runs the test.
   */
  public Map<String, String> driverEnvironment() {
    return Map.of(
        "SPARK_LOCAL_IP", network.hostAddress(),
        "NO_PROXY", network.hostAddress(),
        "no_proxy", network.hostAddress(),
        "KUBERNETES_AUTH_TRYKUBECONFIG", "false");
  }

  /**
   * Settings of an application with so many executors: Spark asks for them at once and polls often.
   * Everything else is Spark's default, but that the root cannot be written. So executors have
   * volumes for temporary files and for the directory that they load jars into.
   */
  public Map<String, String> settings(int executors) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.executor.instances", Integer.toString(executors));
    settings.put("spark.driver.host", network.hostAddress());
    settings.put("spark.kubernetes.container.image", "spark");
    settings.put("spark.kubernetes.executor.disableConfigMap", "true");
    settings.put("spark.kubernetes.executor.enableApiWatcher", "false");
    settings.put("spark.kubernetes.executor.apiPollingInterval", "500ms");
    settings.put("spark.kubernetes.executor.eventProcessingInterval", "200ms");
    settings.put("spark.kubernetes.allocation.batch.delay", "200ms");
    settings.put("spark.kubernetes.executor.volumes.emptyDir.tmp.mount.path", "/tmp");
    settings.put("spark.kubernetes.executor.volumes.emptyDir.work.mount.path", WORK.toString());
    return settings;
  }

  /**
   * Settings of an application whose executors keep their local files on volumes that outlive them:
   * the driver claims a volume for each, and the next executor gets that of one that is gone, if it
   * is older than the timeout.
   */
  public Map<String, String> claimSettings(String mountPath) {
    String volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.spark-local-dir-1.";
    return Map.of(
        "spark.kubernetes.driver.pod.name",
        DRIVER_POD,
        "spark.kubernetes.driver.ownPersistentVolumeClaim",
        "true",
        "spark.kubernetes.driver.reusePersistentVolumeClaim",
        "true",
        "spark.kubernetes.driver.waitToReusePersistentVolumeClaim",
        "true",
        "spark.kubernetes.allocation.executor.timeout",
        "2s",
        volume + "mount.path",
        mountPath,
        volume + "options.claimName",
        "OnDemand",
        volume + "options.storageClass",
        "none",
        volume + "options.sizeLimit",
        "1Gi");
  }

  /** All pods so far, those that have ended too. */
  public synchronized List<PodProcess> pods() {
    return List.copyOf(pods);
  }

  /** The log of a pod. */
  public Path log(String pod) {
    return directory.path().resolve(pod + ".log");
  }

  private void run(ObjectNode object) {
    Netns netns = network.add();
    PodSpec spec = PodSpec.of(object, netns.address());
    Map<Path, Path> readable =
        Map.of(IMAGE.resolve("jars"), sparkHome.resolve("jars"), javaHome, javaHome);
    Map<Path, Path> writable = new LinkedHashMap<>();
    spec.mounts().forEach((place, volume) -> writable.put(place, volume(volume)));
    PodProcess pod =
        PodProcess.start(
            LimitDirectory.create(parent),
            netns,
            spec,
            readable,
            writable,
            WORK,
            spec.command(javaHome, IMAGE),
            log(spec.name()));
    synchronized (this) {
      pods.add(pod);
    }
    api.setPhase(spec.name(), "Running", netns.address());
    pod.exit().thenAccept(status -> api.setEnded(spec.name(), netns.address(), status));
  }

  /** As kubelet makes it: anybody may write. */
  private Path volume(Path place) {
    Path made = directory.path().resolve(place);
    try {
      Files.createDirectories(made);
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the volume " + made, e);
    }
    return made;
  }

  private synchronized void end(String pod) {
    pods.stream().filter(each -> each.name().equals(pod)).forEach(PodProcess::requestStop);
  }

  @Override
  public void close() {
    Closer.all(
        Stream.of(
                Stream.<Runnable>of(api::close),
                pods().stream().map(pod -> (Runnable) pod::close),
                Stream.<Runnable>of(network::close, directory::close))
            .flatMap(each -> each));
  }
}
