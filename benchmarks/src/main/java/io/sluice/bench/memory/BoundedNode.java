package io.sluice.bench.memory;

import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.ClusterSpec.ClusterPlaces;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.limit.DeviceUse;
import io.sluice.it.limit.LimitDirectory;
import io.sluice.it.limit.LoopVolume;
import io.sluice.it.limit.ResourceGroup;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupMeter;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import io.sluice.it.limit.ResourceGroups;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Two volumes, and one cluster after the other whose NodeManager, containers and DataNode share a
 * bounded memory and have their data there. ResourceManager, NameNode and clients are outside: on a
 * real cluster they are other machines. One NodeManager, because a node has one: two pools would
 * divide the memory in halves that are never equally full.
 *
 * <pre>
 *   shuffle    local directories and Sluice's disk tier; made anew for each cluster
 *   files      the DataNode's blocks; kept from one cluster to the next, but not in the page cache
 * </pre>
 *
 * <p>Not thread-safe. Who makes it closes it.
 */
final class BoundedNode implements AutoCloseable {
  private static final String BLOCK_REPORT_MS = "10000"; // 6 hours, otherwise
  private static final List<String> ONE_NODE = List.of("localhost");
  private static final int CONTAINERS_MB = 3328; // an ApplicationMaster and two tasks at a time
  private static final double DIRTY_SHARE = 0.2; // vm.dirty_ratio's default
  private static final long SAMPLE_MS = 1000;
  private static final long PROBE_BYTES = 256 << 20;
  private static final int PROBE_CHUNK_BYTES = 1 << 20;

  private final Workspace workspace;
  private final HadoopDistribution hadoop;
  private final Optional<DeviceRate> shuffleRate;
  private final Optional<DeviceRate> filesRate;
  private final LimitDirectory directory;
  private final LoopVolume shuffle;
  private final LoopVolume files;

  /**
   * Makes the volumes.
   *
   * @param shuffleRate of the shuffle's volume; as fast as the disk is if empty
   * @param filesRate of the files' volume, likewise
   */
  BoundedNode(
      Workspace workspace,
      HadoopDistribution hadoop,
      Optional<DeviceRate> shuffleRate,
      Optional<DeviceRate> filesRate,
      long shuffleVolumeBytes,
      long filesVolumeBytes) {
    this.workspace = workspace;
    this.hadoop = hadoop;
    this.shuffleRate = shuffleRate;
    this.filesRate = filesRate;
    this.directory = LimitDirectory.create(workspace.root().resolve("target/bench"));
    try {
      this.shuffle = LoopVolume.create(directory.path(), "shuffle", shuffleVolumeBytes);
      this.files = LoopVolume.create(directory.path(), "files", filesVolumeBytes);
    } catch (RuntimeException e) {
      directory.close(); // with the volume that was made
      throw e;
    }
  }

  /** Room for files that nobody measures. */
  Path scratch() {
    return directory.path();
  }

  /** The speed of the disk below an unbounded volume, written and synced, in bytes/s. */
  long unboundedBytesPerS() {
    Path probe = shuffle.mount().resolve("probe");
    long startNs = System.nanoTime();
    try (var out = Files.newOutputStream(probe)) {
      byte[] chunk = new byte[PROBE_CHUNK_BYTES];
      for (long written = 0; written < PROBE_BYTES; written += chunk.length) {
        out.write(chunk);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + probe, e);
    }
    shuffle.sync();
    double seconds = (System.nanoTime() - startNs) / 1e9;
    shuffle.empty();
    return (long) (PROBE_BYTES / seconds);
  }

  /** A cluster at work, to be measured. */
  final class Session {
    private final PseudoCluster cluster;
    private final ResourceGroup group;
    private final long limitBytes;

    private Session(PseudoCluster cluster, ResourceGroup group, long limitBytes) {
      this.cluster = cluster;
      this.group = group;
      this.limitBytes = limitBytes;
    }

    PseudoCluster cluster() {
      return cluster;
    }

    /** Lets the devices be as fast as the disk is, for what is not measured. */
    void unbound() {
      shuffleRate.ifPresent(bound -> shuffle.limit(group, DeviceRate.UNBOUNDED));
      filesRate.ifPresent(bound -> files.limit(group, DeviceRate.UNBOUNDED));
    }

    String limits() {
      return group.title();
    }

    /** Runs a job that is not measured, and must succeed. */
    JobResult run(JobSpec spec, JobProgress progress) {
      // Pages of an archive of classes count for their first reader, maybe outside the limit.
      JobSpec own = spec.with(cluster.withoutArchive());
      try (RunningJob job = RunningJob.start(cluster, own, progress)) {
        return job.awaitSuccess();
      }
    }

    /** Runs a job to its end, which must be a success, and tells what it cost. */
    MemoryCell measure(JobSpec spec, Map<String, String> settings, JobProgress progress) {
      GroupUse groupBefore = group.use();
      DeviceUse shuffleBefore = shuffle.use();
      DeviceUse filesBefore = files.use();
      try (GroupMeter meter = GroupMeter.start(group, SAMPLE_MS)) {
        JobResult result = run(spec.with(settings), progress);
        final GroupUse use = group.use().minus(groupBefore);
        final DeviceUse atEnd = shuffle.use().minus(shuffleBefore);
        shuffle.sync();
        files.sync();
        return new MemoryCell(
            settings,
            limitBytes,
            JobCosts.of(cluster, result),
            use,
            atEnd,
            shuffle.use().minus(shuffleBefore),
            files.use().minus(filesBefore),
            meter.samples());
      }
    }
  }

  /**
   * Starts a cluster, has something done on it, and ends it.
   *
   * @param sluice Sluice's service for its nodes, if they shall have one
   * @param nodeSettings of the NodeManager
   * @param limitBytes all memory of the group; unbounded if empty
   */
  <T> T with(
      Optional<SluiceFragments> sluice,
      Map<String, String> nodeSettings,
      Optional<Long> limitBytes,
      Function<Session, T> work) {
    shuffle.empty();
    files.dropCache();
    try (ResourceGroup group = ResourceGroups.make(directory.path())) {
      limitBytes.ifPresent(
          bytes -> {
            group.limitMemory(bytes);
            shuffle.limitDirty((long) (DIRTY_SHARE * bytes));
            files.limitDirty((long) (DIRTY_SHARE * bytes));
          });
      shuffleRate.ifPresent(bound -> shuffle.limit(group, bound));
      filesRate.ifPresent(bound -> files.limit(group, bound));
      try (PseudoCluster cluster =
          PseudoCluster.start(workspace, spec(sluice, nodeSettings, group))) {
        return work.apply(new Session(cluster, group, limitBytes.orElse(0L)));
      }
    }
  }

  private ClusterSpec spec(
      Optional<SluiceFragments> sluice, Map<String, String> nodeSettings, ResourceGroup group) {
    ClusterSpec spec =
        ClusterSpec.of(hadoop)
            .withNodeMemoryMb(CONTAINERS_MB)
            .withPlaces(
                ClusterPlaces.HERE
                    .withHosts(ONE_NODE)
                    .withScratch(shuffle.mount())
                    .withNodePrefix(group.enter()));
    if (sluice.isPresent()) {
      spec = spec.withSluice(sluice.get(), Set.of());
    }
    Map<String, String> site = new LinkedHashMap<>(nodeSettings);
    site.put("dfs.datanode.data.dir", files.mount().resolve("datanode").toString());
    site.put("dfs.namenode.name.dir", directory.path().resolve("namenode").toString());
    // what a NameNode had still to delete when it ended goes at a DataNode's second report
    site.put("dfs.blockreport.intervalMsec", BLOCK_REPORT_MS);
    site.put("hadoop.tmp.dir", directory.path().resolve("tmp").toString());
    site.put("yarn.nodemanager.pmem-check-enabled", "false"); // the group is the bound
    for (Map.Entry<String, String> property : site.entrySet()) {
      spec = spec.withSite(property.getKey(), property.getValue());
    }
    return spec;
  }

  @Override
  public void close() {
    directory.close(); // with its volumes
  }

  /**
   * The costs of one job in a bounded node.
   *
   * @param settings what it was given besides its own
   * @param limitBytes the memory of the node
   * @param costs as the job's history has them
   * @param group what the processes of the node used and waited for
   * @param shuffle what the shuffle's device did until the job ended
   * @param shuffleSynced the same, with what was still dirty then
   * @param files what the device of the distributed file system did, synced
   * @param samples the node's memory, once a second
   */
  public record MemoryCell(
      Map<String, String> settings,
      long limitBytes,
      JobCosts costs,
      GroupUse group,
      DeviceUse shuffle,
      DeviceUse shuffleSynced,
      DeviceUse files,
      List<GroupMemory> samples) {

    /** False if the kernel had to kill a process: then it is no figure of a healthy job. */
    public boolean valid() {
      return group.oomKills() == 0;
    }

    double wallS() {
      return costs.wallMs() / 1e3;
    }

    double cpuS() {
      return group.cpuUs() / 1e6;
    }

    double deviceBytes() {
      return shuffleSynced.bytes();
    }

    double waitedS() {
      return group.ioSomeUs() / 1e6;
    }

    double reclaimedS() {
      return group.memorySomeUs() / 1e6;
    }
  }
}
