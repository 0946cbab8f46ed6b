package io.sluice.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.cluster.NodeManager.ContainerLogs;
import io.sluice.it.cluster.ProcessTable.ProcessUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A Hadoop cluster on this machine: NameNode, DataNode, ResourceManager, NodeManagers (two unless
 * the places say otherwise) and JobHistoryServer, each a real process with stock jars, its own
 * ports and directories; or, where the places say so, all of a host in one process and without
 * HDFS.
 *
 * <p>Not a mini cluster: nothing of it runs in this JVM, so daemons can be killed and containers
 * have the class path they have in production. Not thread-safe, except {@link #close}.
 *
 * <p>Its starter closes it; a shutdown hook does so when the JVM is interrupted, and the next
 * cluster ends what a killed JVM left behind. Daemons that die are reported by {@link
 * #requireAlive} with the end of their log; every wait has a deadline.
 */
public final class PseudoCluster implements AutoCloseable {
  private static final Duration READY_DEADLINE = Duration.ofMinutes(30);
  private static final Duration CONTAINERS_DEADLINE = Duration.ofMinutes(5);
  private static final String HDFS = "org.apache.hadoop.hdfs.server.";
  private static final String YARN = "org.apache.hadoop.yarn.server.";
  private static final String RESOURCE_MANAGER = YARN + "resourcemanager.ResourceManager";
  private static final String NODE_MANAGER = YARN + "nodemanager.NodeManager";
  private static final String HISTORY_SERVER = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer";

  private final ClusterSpec spec;
  private final ClusterDirectory directory;
  private final ClusterSites sites;
  private final Rest rest = new Rest();
  private final List<Daemon> daemons = new ArrayList<>();
  private final List<NodeManager> nodes = new ArrayList<>();
  private final Thread closer = new Thread(this::end, "close-cluster");
  private boolean keep;
  private boolean closed;

  private PseudoCluster(ClusterSpec spec, ClusterDirectory directory) {
    this.spec = spec.users().isEmpty() ? spec : UsersPlace.prepare(spec, directory);
    this.directory = directory;
    this.sites = new ClusterSites(this.spec, directory.path());
  }

  /** Starts all daemons and returns when the cluster is ready to run a job. */
  public static PseudoCluster start(Workspace workspace, ClusterSpec spec) {
    Path clusters =
        spec.users().isPresent()
            ? UsersPlace.clusters()
            : spec.places().shared().orElse(workspace.clusters());
    ClusterDirectory.removeLeftovers(clusters);
    PseudoCluster cluster = new PseudoCluster(spec, ClusterDirectory.create(clusters));
    Runtime.getRuntime().addShutdownHook(cluster.closer);
    try {
      cluster.startDaemons();
      return cluster;
    } catch (RuntimeException e) {
      cluster.keepDirectory();
      cluster.close();
      throw new ClusterException(
          "the cluster did not start; its logs are in " + cluster.directory.logs(), e);
    }
  }

  private void startDaemons() {
    sites.writeClientConf();
    if (spec.places().oneJvm()) {
      startOneJvm();
    } else {
      startJvms();
    }
    nodes.forEach(NodeManager::awaitReady);
    awaitActiveNodes(nodes.size());
    await(
        "the JobHistoryServer",
        () -> ask("mapreduce.jobhistory.webapp.address", "/ws/v1/history/info").has("historyInfo"));
  }

  private void startJvms() {
    // First, because they need no file system and take longest to start.
    daemon("resourcemanager", 512, RESOURCE_MANAGER).start();
    for (int i = 0; i < spec.places().hosts().size(); i++) {
      startNodeManager(sites.writeNodeConf(i));
    }
    if (spec.places().files().isEmpty()) {
      startFileSystem();
    }
    // Not earlier: while the file system is not there it tries again only every ten seconds.
    daemon("historyserver", 256, HISTORY_SERVER).start();
  }

  private void startNodeManager(NodeManager.Place place) {
    Daemon daemon = nodeManager(place);
    nodes.add(new NodeManager(place, daemon, rest));
    daemon.start();
  }

  private void startOneJvm() {
    List<String> services = new ArrayList<>();
    services.add(OneJvm.service(RESOURCE_MANAGER, sites.clientConf()));
    List<NodeManager.Place> places = new ArrayList<>();
    List<NodeManager.Place> onPeer = new ArrayList<>();
    for (int i = 0; i < spec.places().hosts().size(); i++) {
      NodeManager.Place place = sites.writeNodeConf(i);
      if (spec.places().isOnPeer(i)) {
        onPeer.add(place);
      } else {
        places.add(place);
        services.add(OneJvm.service(NODE_MANAGER, place.conf()));
      }
    }
    services.add(OneJvm.service(HISTORY_SERVER, sites.clientConf()));
    List<String> options = new ArrayList<>(spec.places().daemonOptions());
    options.add("-Xmx768m");
    HadoopProcess program =
        new HadoopProcess(
            sites.clientConf(),
            spec.distribution(),
            options,
            OneJvm.class.getName(),
            services,
            List.of(OneJvm.classPath()),
            List.of());
    Daemon daemon = daemon("daemons", program::start);
    places.forEach(place -> nodes.add(new NodeManager(place, daemon, rest)));
    daemon.start();
    onPeer.forEach(this::startNodeManager);
  }

  private void startFileSystem() {
    if (!Files.exists(sites.nameDirectory().resolve("current/VERSION"))) {
      formatNameNode(); // else it is that of an earlier cluster, with its files
    }
    daemon("namenode", 384, HDFS + "namenode.NameNode").start();
    HadoopProcess dataNode =
        program(384, HDFS + "datanode.DataNode", sites.clientConf())
            .through(spec.places().nodePrefix());
    daemon("datanode", dataNode::start).start();
    awaitFileSystem();
  }

  private void formatNameNode() {
    new HadoopProcess(
            sites.clientConf(),
            spec.distribution(),
            List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"),
            HDFS + "namenode.NameNode",
            List.of("-format", "-force", "-nonInteractive"))
        .run("formatting the NameNode", READY_DEADLINE, directory.logs().resolve("format.log"));
  }

  private Daemon daemon(String name, int heapMb, String mainClass) {
    return daemon(name, program(heapMb, mainClass, sites.clientConf())::start);
  }

  private Daemon nodeManager(NodeManager.Place place) {
    HadoopProcess program =
        program(512, NODE_MANAGER, place.conf())
            .through(spec.users().map(TestUsers::becomeNodeManager).orElse(List.of()));
    spec.users().ifPresent(users -> users.give(directory.path().resolve("nm" + place.index())));
    return daemon(
        "nodemanager" + place.index(),
        spec.places().isOnPeer(place.index())
            ? log -> program.start(spec.places().peer().orElseThrow(), log)
            : program.through(spec.places().nodePrefix())::start);
  }

  private HadoopProcess program(int heapMb, String mainClass, Path conf) {
    List<String> options = new ArrayList<>(spec.places().daemonOptions());
    options.add("-Xmx" + heapMb + "m");
    return new HadoopProcess(conf, spec.distribution(), options, mainClass, List.of());
  }

  private Daemon daemon(String name, Function<Path, Process> program) {
    Daemon daemon = new Daemon(name, program, directory.logs().resolve(name + ".log"));
    daemons.add(daemon);
    return daemon;
  }

  private void awaitFileSystem() {
    await(
        "the file system to leave safe mode with one DataNode",
        () -> {
          JsonNode bean =
              ask("dfs.namenode.http-address", "/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo")
                  .at("/beans/0");
          return bean.path("Safemode").asText("?").isEmpty()
              && bean.path("LiveNodes").asText("{}").length() > 2;
        });
  }

  /** Waits until the ResourceManager counts this many active NodeManagers. */
  public void awaitActiveNodes(int expected) {
    await(
        expected + " active NodeManagers",
        () ->
            ask("yarn.resourcemanager.webapp.address", "/ws/v1/cluster/metrics")
                    .at("/clusterMetrics/activeNodes")
                    .asInt()
                == expected);
  }

  private void await(String what, Poll.Condition condition) {
    Poll.untilTrue(
        what,
        READY_DEADLINE,
        () -> {
          requireAlive();
          return condition.holds();
        });
  }

  private JsonNode ask(String addressProperty, String path)
      throws IOException, InterruptedException {
    return rest.get(sites.address(addressProperty), path);
  }

  /** Fails, with the end of its log, if a daemon that was started is no longer running. */
  public void requireAlive() {
    daemons.forEach(Daemon::requireAlive);
  }

  public ClusterSpec spec() {
    return spec;
  }

  public List<NodeManager> nodes() {
    return List.copyOf(nodes);
  }

  /** The conf directory of clients and containers. */
  public Path clientConf() {
    return sites.clientConf();
  }

  /** Settings of a job whose JVMs shall start without the node's archive of classes. */
  public Map<String, String> withoutArchive() {
    return TaskArchives.without(spec);
  }

  public Path logs() {
    return directory.logs();
  }

  /** HDFS, through the NameNode's web service; not to be asked for where there is none. */
  public WebHdfs fileSystem() {
    return new WebHdfs(rest, sites.address("dfs.namenode.http-address"));
  }

  /** The beginning of its paths, for clients that have another file system as default. */
  public String fileSystemUri() {
    return sites.address("fs.defaultFS");
  }

  /** Talks to the daemons' web services. */
  public Rest rest() {
    return rest;
  }

  /** Where the JobHistoryServer's web services are. */
  public String historyAddress() {
    return sites.address("mapreduce.jobhistory.webapp.address");
  }

  /** Processor time the NodeManagers' own JVMs used so far. */
  public long nodeManagerCpuMs() {
    return nodes.stream().mapToLong(node -> node.daemon().cpuMs()).sum();
  }

  /**
   * The use of all daemons of this host and their containers since the daemons' start; waits until
   * the last container has ended.
   */
  public ProcessUse useWithoutContainers() {
    Poll.untilTrue(
        "the last container to end",
        CONTAINERS_DEADLINE,
        () -> nodes.stream().noneMatch(node -> node.daemon().hasChildren()));
    return daemons.stream()
        .map(Daemon::useWithEndedChildren)
        .reduce(ProcessUse.NONE, ProcessUse::plus);
  }

  /**
   * Starts a client JVM with the clients' configuration; the caller reads its output and ends it.
   */
  public Process startClient(String mainClass, List<String> arguments) {
    return startClient(mainClass, arguments, Optional.empty());
  }

  /** The same for a user; the cluster asks nobody for a proof. */
  public Process startClient(String mainClass, List<String> arguments, Optional<String> user) {
    return startClient(mainClass, arguments, user, List.of());
  }

  /** The same with Sluice's jar on its class path, as {@code HADOOP_CLASSPATH} puts it there. */
  public Process startClientWithJar(String mainClass, List<String> arguments) {
    List<Path> jars = spec.sluice().map(SluiceFragments::jar).stream().toList();
    return startClient(mainClass, arguments, Optional.empty(), jars);
  }

  private Process startClient(
      String mainClass, List<String> arguments, Optional<String> user, List<Path> classPath) {
    List<String> options = new ArrayList<>(List.of("-Xmx384m", "-XX:TieredStopAtLevel=1"));
    user.ifPresent(name -> options.add("-DHADOOP_USER_NAME=" + name));
    return new HadoopProcess(
            sites.clientConf(),
            spec.distribution(),
            options,
            mainClass,
            arguments,
            classPath,
            List.of())
        .start(null);
  }

  /** Logs of containers, wherever their NodeManager keeps them. */
  public ContainerLogs containerLogs() {
    return new ContainerLogs(nodes.stream().map(node -> node.place().containerLogs()).toList());
  }

  /**
   * Index of the node on which the only ApplicationMaster runs; waits for that of a job before to
   * end.
   */
  public int nodeOfMaster() {
    List<Integer> only =
        Poll.until(
            "an ApplicationMaster that is the only one",
            CONTAINERS_DEADLINE,
            () ->
                Optional.of(TaskProcess.nodesOfMasters(directory.path()))
                    .filter(nodes -> nodes.size() == 1));
    return only.get(0);
  }

  /** The task attempts that run right now. */
  public List<TaskProcess> taskProcesses() {
    return TaskProcess.running(directory.path());
  }

  /** The directory of this cluster, which its processes' command lines name. */
  public Path directory() {
    return directory.path();
  }

  /** Leaves configuration and logs behind when the cluster is closed, to be looked at. */
  public void keepDirectory() {
    keep = true;
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook is what runs this, or it has nothing left to do.
      return;
    }
  }

  private synchronized void end() {
    if (closed) {
      return;
    }
    closed = true;
    daemons.forEach(Daemon::requestStop);
    daemons.forEach(Daemon::close);
    directory.endProcesses();
    Workspace.delete(sites.poolRoot());
    spec.places().scratch().ifPresent(base -> Workspace.delete(sites.scratch()));
    if (keep) {
      directory.giveUp();
    } else {
      directory.delete();
    }
  }

  /** Makes a directory on the local file system of this cluster, for jobs' signal files. */
  public Path localDirectory(String name) {
    try {
      Path made = Files.createDirectories(directory.path().resolve(name));
      if (spec.users().isPresent()) {
        UsersPlace.openToAll(made);
      }
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the directory " + name, e);
    }
  }
}
