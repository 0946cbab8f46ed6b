package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of one cluster: what a pseudo-distributed set-up needs, made for its ports and
 * directories, with Sluice's documented fragments and the spec's overlays on top.
 *
 * <p>Everything not named here has Hadoop's own default. Immutable once made; owns no resource.
 */
final class ClusterSites {
  private static final String FILE_SYSTEM = "fs.defaultFS";
  private static final String NAME_DIRECTORY = "dfs.namenode.name.dir";
  private static final int AM_MEMORY_MB = 768;
  private static final int TASK_MEMORY_MB = 1280;

  /** One ApplicationMaster and one task on a node, one task on the other: two cores' worth. */
  private static final int NODE_MEMORY_MB = AM_MEMORY_MB + TASK_MEMORY_MB;

  private final ClusterSpec spec;
  private final Path directory;
  private final Path scratch;
  private final Map<String, String> common = new LinkedHashMap<>();

  ClusterSites(ClusterSpec spec, Path directory) {
    this.spec = spec;
    this.directory = directory;
    this.scratch =
        spec.places()
            .scratch()
            .map(base -> base.resolve(directory.getFileName()))
            .orElse(directory);
    common.put("hadoop.tmp.dir", scratch.resolve("tmp").toString());
    common.put("hadoop.http.staticuser.user", System.getProperty("user.name"));
    spec.places().files().ifPresentOrElse(files -> common.put(FILE_SYSTEM, "file:///"), this::hdfs);
    yarn();
    mapReduce();
  }

  /** Address of a daemon's endpoint, by the property that configures it. */
  String address(String property) {
    return common.get(property);
  }

  Path clientConf() {
    return directory.resolve("conf");
  }

  /** Writes the conf directory of clients, containers and of all daemons but the NodeManagers. */
  void writeClientConf() {
    Map<String, String> values = new LinkedHashMap<>(common);
    spec.sluice().ifPresent(sluice -> values.putAll(sluice.mapredSite()));
    values.putAll(spec.site());
    writeConf(clientConf(), values); // what makes an archive reads it
    Map<String, String> archive = TaskArchives.settings(spec, clientConf());
    if (!archive.isEmpty()) {
      values.putAll(archive);
      writeConf(clientConf(), values);
    }
  }

  /** Writes the conf directory of a NodeManager and says what it must know to be talked to. */
  NodeManager.Place writeNodeConf(int node) {
    Path home = directory.resolve("nm" + node);
    Path data = scratch.resolve("nm" + node);
    String host = spec.places().hosts().get(node);
    int shufflePort = Ports.take();
    int webPort = Ports.take();
    Map<String, String> values = new LinkedHashMap<>(common);
    values.put("yarn.nodemanager.hostname", host);
    values.put("yarn.nodemanager.address", host + ":" + Ports.take());
    values.put("yarn.nodemanager.localizer.address", host + ":" + Ports.take());
    values.put("yarn.nodemanager.webapp.address", host + ":" + webPort);
    values.put("yarn.nodemanager.local-dirs", data.resolve("local").toString());
    values.put("yarn.nodemanager.log-dirs", home.resolve("containers").toString());
    values.put("yarn.nodemanager.recovery.dir", data.resolve("recovery").toString());
    values.put("mapreduce.shuffle.port", Integer.toString(shufflePort));
    Path pool = poolRoot().resolve("nm" + node);
    if (!spec.stockNodes().contains(node)) {
      spec.sluice().ifPresent(sluice -> values.putAll(sluice.yarnSite()));
      values.put("sluice.pool.dir", pool.toString());
      values.put("sluice.pool.overflow-dirs", data.resolve("overflow").toString());
    }
    values.putAll(spec.site());
    values.putAll(spec.nodeSite().getOrDefault(node, Map.of()));
    Path conf = home.resolve("conf");
    writeConf(conf, values);
    return new NodeManager.Place(
        node,
        host,
        conf,
        data.resolve("local"),
        home.resolve("containers"),
        pool,
        shufflePort,
        webPort);
  }

  /** Where the NameNode keeps what it knows. */
  Path nameDirectory() {
    return Path.of(spec.site().getOrDefault(NAME_DIRECTORY, common.get(NAME_DIRECTORY)));
  }

  /** Where this host keeps data; removed with the cluster. */
  Path scratch() {
    return scratch;
  }

  /** Memory-backed directory for the pools of this cluster's nodes; removed with the cluster. */
  Path poolRoot() {
    Path memory = Path.of("/dev/shm");
    Path base = Files.isWritable(memory) ? memory : directory;
    return base.resolve("sluice-" + directory.getFileName());
  }

  /** Gives a daemon's endpoint, on the first host, a port of its own. */
  private String endpoint(String property) {
    String address = spec.places().master() + ":" + Ports.take();
    common.put(property, address);
    return address;
  }

  private void hdfs() {
    common.put(FILE_SYSTEM, "hdfs://" + endpoint("dfs.namenode.rpc-address"));
    endpoint("dfs.namenode.http-address");
    endpoint("dfs.datanode.address");
    endpoint("dfs.datanode.http.address");
    endpoint("dfs.datanode.ipc.address");
    common.put(NAME_DIRECTORY, scratch.resolve("namenode").toString());
    common.put("dfs.namenode.safemode.extension", "0");
    common.put("dfs.datanode.data.dir", scratch.resolve("datanode").toString());
    common.put("dfs.replication", "1");
  }

  private void yarn() {
    String manager = "yarn.resourcemanager.";
    common.put(manager + "hostname", spec.places().master());
    endpoint(manager + "address");
    endpoint(manager + "scheduler.address");
    endpoint(manager + "resource-tracker.address");
    endpoint(manager + "admin.address");
    endpoint(manager + "webapp.address");
    // the default is one directory of the user for all that start at a time, which then fail
    common.put("yarn.node-attribute.fs-store.root-dir", "file://" + scratch.resolve("attributes"));
    common.put("yarn.scheduler.minimum-allocation-mb", "256");
    common.put("yarn.nodemanager.resource.memory-mb", Integer.toString(NODE_MEMORY_MB));
    common.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    common.put("yarn.nodemanager.vmem-check-enabled", "false");
    common.put(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99");
    // As with stock's scripts: containers find the configuration by this variable.
    common.put(
        "yarn.nodemanager.admin-env",
        "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX,HADOOP_CONF_DIR=" + clientConf());
    common.put("yarn.application.classpath", "$HADOOP_CONF_DIR," + spec.distribution().classPath());
  }

  private void mapReduce() {
    common.put("mapreduce.framework.name", "yarn");
    common.put("sluice.service.port-offset", "1"); // within the range of this process
    endpoint("mapreduce.jobhistory.address");
    endpoint("mapreduce.jobhistory.admin.address");
    endpoint("mapreduce.jobhistory.webapp.address");
    common.put(
        "yarn.app.mapreduce.am.staging-dir",
        spec.places().files().map(Path::toString).orElse("") + "/staging");
    common.put("yarn.app.mapreduce.am.resource.mb", Integer.toString(AM_MEMORY_MB));
    common.put("yarn.app.mapreduce.am.command-opts", jvmOptions("-Xmx512m"));
    common.put("mapreduce.map.memory.mb", Integer.toString(TASK_MEMORY_MB));
    common.put("mapreduce.reduce.memory.mb", Integer.toString(TASK_MEMORY_MB));
    common.put("mapred.child.java.opts", jvmOptions("-Xmx1000m"));
  }

  private String jvmOptions(String heap) {
    return String.join(" ", spec.distribution().jvmOptions())
        .concat(" -XX:+UseSerialGC " + heap)
        .strip();
  }

  private static void writeConf(Path conf, Map<String, String> values) {
    try {
      // The NameNode and the DataNode want these on the class path; the stock jars have none.
      for (String webapp : List.of("hdfs", "datanode", "secondary", "static")) {
        Files.createDirectories(conf.resolve("webapps").resolve(webapp));
      }
      ClusterSiteXml.writeAll(conf, values);
      ClusterSiteXml.write(
          conf.resolve("capacity-scheduler.xml"),
          Map.of(
              "yarn.scheduler.capacity.root.queues", "default",
              "yarn.scheduler.capacity.root.default.capacity", "100",
              "yarn.scheduler.capacity.maximum-am-resource-percent", "0.5"));
      Files.writeString(
          conf.resolve("log4j.properties"),
          """
          log4j.rootLogger=INFO,console
          log4j.appender.console=org.apache.log4j.ConsoleAppender
          log4j.appender.console.target=System.err
          log4j.appender.console.layout=org.apache.log4j.PatternLayout
          log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
          """);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration in " + conf, e);
    }
  }
}
