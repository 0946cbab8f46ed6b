package io.sluice.it.lab;

import io.sluice.it.lab.Lab.LabException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A suite of JUnit classes that one guest runs, and what the guest needs for it. */
public enum LabSuite {
  /** A whole job on the engine's own daemons, each in its own JVM: long. */
  TERASORT(
      "TeraSort on stock Hadoop over verbs",
      8192,
      2,
      256,
      Duration.ofMinutes(90),
      "io.sluice.it.lab.TeraSortOverVerbsIT"),
  /** Peers, links and devices that fail below reads. */
  FAULTS(
      "faults on verbs",
      3072,
      0,
      0,
      Duration.ofMinutes(30),
      "io.sluice.node.faults.DeviceDeletedTest",
      "io.sluice.node.faults.PeerFaultsTest",
      "io.sluice.node.faults.LinkFaultsTest",
      "io.sluice.node.faults.LockedMemoryFaultsTest",
      "io.sluice.node.faults.LinkLostTest"),
  /** Shuffles between two executors of the engine. */
  SPARK(
      "a shuffle of stock Spark over verbs",
      4096,
      0,
      0,
      Duration.ofMinutes(40),
      "io.sluice.it.lab.SparkOverVerbsIT"),
  /** A job of the engine with all daemons of a host in one JVM. */
  MAPREDUCE(
      "a job of stock Hadoop over verbs",
      5120,
      1,
      0,
      Duration.ofMinutes(30),
      "io.sluice.it.lab.MapReduceOverVerbsIT"),
  /** The contract of the spill store on every kind of persistent memory. */
  STORE(
      "the spill store on every kind of pool",
      4096,
      2,
      512,
      Duration.ofMinutes(30),
      "io.sluice.spill.medium.MediumTest",
      "io.sluice.spill.store.SyncStoreTest",
      "io.sluice.spill.store.HugePagesStoreTest",
      "io.sluice.spill.store.DeviceStoreTest",
      "io.sluice.spill.store.MappedPoolTest",
      "io.sluice.spill.store.LabKillTest",
      "io.sluice.node.service.PoolKindsTest",
      "io.sluice.node.service.TmpfsServingTest",
      "io.sluice.node.service.FsDaxServingTest"),
  /** The contract of the transports that need no UCX. */
  TRANSPORT(
      "the transport contract over verbs",
      3072,
      0,
      0,
      Duration.ofMinutes(20),
      "io.sluice.rdma.transport.verbs.VerbsContractTest",
      "io.sluice.rdma.transport.verbs.VerbsOverIpv6ContractTest",
      "io.sluice.rdma.transport.verbs.VerbsCheatsTest",
      "io.sluice.rdma.transport.verbs.VerbsConnectsTest",
      "io.sluice.rdma.transport.verbs.VerbsKillsTest",
      "io.sluice.rdma.transport.verbs.VerbsRemovalTest",
      "io.sluice.node.faults.HostNameNetworkTest",
      "io.sluice.node.faults.RailFaultsTest",
      "io.sluice.rdma.transport.disni.DisniContractTest",
      "io.sluice.it.lab.ReadsFromAnotherHostIT"),
  /** The contract of UCX, and with it what other suites show with libibverbs alone. */
  UCX(
      "the transport contract, pools, a shuffle of stock Spark and faults through UCX",
      5120,
      2,
      512,
      Duration.ofMinutes(75),
      Stream.of(
              List.of(
                  "io.sluice.rdma.transport.ucx.UcxContractTest",
                  "io.sluice.node.service.PoolKindsTest",
                  "io.sluice.node.service.TmpfsServingTest",
                  "io.sluice.node.service.FsDaxServingTest"),
              SPARK.classes,
              FAULTS.classes)
          .flatMap(List::stream)
          .toArray(String[]::new)),
  /** The cost of a read beside that of the verbs below it, as far as an emulator shows it. */
  BANDWIDTH(
      "reads and connections of each transport beside ib_read_bw and ib_read_lat",
      2048,
      0,
      0,
      Duration.ofMinutes(20),
      "io.sluice.it.lab.ReadBandwidthIT"),
  /** On an emulated processor of another kind: what depends on the processor. */
  AARCH64(
      "doctor, the layouts of libibverbs, and the transport contract over verbs, on aarch64",
      4096,
      0,
      0,
      Duration.ofMinutes(20),
      "io.sluice.rdma.transport.verbs.VerbsLayoutTest",
      "io.sluice.rdma.transport.verbs.AddressCallTest",
      "io.sluice.rdma.transport.verbs.LibVerbsTest",
      "io.sluice.rdma.transport.verbs.VerbsContractTest");

  private final String title;
  private final int memoryMb;
  private final int nvdimms;
  private final int hugePagesMb;
  private final Duration deadline;
  private final List<String> classes;

  LabSuite(
      String title,
      int memoryMb,
      int nvdimms,
      int hugePagesMb,
      Duration deadline,
      String... classes) {
    this.title = title;
    this.memoryMb = memoryMb;
    this.nvdimms = nvdimms;
    this.hugePagesMb = hugePagesMb;
    this.deadline = deadline;
    this.classes = List.of(classes);
  }

  /** Its name on the command line. */
  public String id() {
    return name().toLowerCase();
  }

  public String title() {
    return title;
  }

  /** Names of its test classes. */
  public List<String> classes() {
    return classes;
  }

  public int memoryMb() {
    return memoryMb;
  }

  int nvdimms() {
    return nvdimms;
  }

  /** Whether two guests can run it together. */
  public boolean runsOnTwoHosts() {
    return this == TERASORT || this == SPARK || this == MAPREDUCE || this == TRANSPORT;
  }

  /**
   * Whether only {@code ./sluice test --all} runs it: it takes long, only measures, or shows what
   * another suite shows.
   */
  public boolean isCampaign() {
    return this == TERASORT
        || this == MAPREDUCE
        || this == BANDWIDTH
        || this == UCX
        || this == AARCH64;
  }

  Duration deadline() {
    return deadline;
  }

  /** The script that the guest runs after {@code guest.sh}, with the pools that it has. */
  String script(GuestSpec guest, boolean campaign) {
    StringBuilder script = new StringBuilder();
    if (this == UCX) { // LabTransport reads it
      script.append("lab_properties+=(-Dsluice.lab.transport=ucx)\n");
    }
    if (this == AARCH64) {
      script.append("doctor=0\nlab_java io.sluice.it.cli.Sluice doctor || doctor=$?\n");
    } else if (!campaign) {
      script.append("lab_launcher+=(--exclude-tag=campaign)\n");
    }
    if (hugePagesMb > 0) {
      script.append("lab_huge_pages ").append(hugePagesMb).append('\n');
    }
    if (!guest.nvdimms().isEmpty()) {
      script.append("lab_persistent_memory\n");
    }
    script.append("lab_suite ").append(String.join(" ", classes));
    if (this == AARCH64) {
      script.append("\nexit $doctor"); // after the tests, which may pass all the same
    }
    return script.toString();
  }

  /** The suite of that name. */
  public static LabSuite of(String id) {
    return Arrays.stream(values())
        .filter(suite -> suite.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new LabException("there is no suite '" + id + "'"));
  }
}
