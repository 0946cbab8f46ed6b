package io.sluice.node.service;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.service.ServiceMemory.MachineMemory;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.rdma.Release;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.OpenFilesLimit;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.verbs.RdmaAddresses;
import io.sluice.rdma.transport.verbs.RdmaAddresses.Missed;
import io.sluice.rdma.transport.verbs.VerbsNetwork;
import io.sluice.rdma.transport.verbs.VerbsProvider;
import io.sluice.spill.disk.Device;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreConfig.DiskReserve;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All settings of one {@link NodeService}. Engines, the service of a node by itself and the doctor
 * fill it. The start concludes it once: it chooses what works on this machine and checks the rest.
 * From then on it is fixed. A setting that nobody sets has a default.
 *
 * <p>Thread contract: one thread. Failure: the start throws if a setting does not work here.
 */
public final class ServiceContext {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceContext.class);

  private final ServiceDirectories directories;
  private final long totalBytes; // what the tier is fitted into; 0: the size of the tier was given
  private long tierBytes;
  private boolean wholeAtStart;
  private int segmentBytes = StoreConfig.DEFAULT_SEGMENT_BYTES;
  private int blockBytes = StoreConfig.DEFAULT_BLOCK_BYTES;
  private List<Path> overflowDirectories = List.of();
  private long overflowBytes;
  private DiskReserve overflowReserve = StoreConfig.DEFAULT_DISK_RESERVE;
  private boolean backgroundCopy;
  private StoreConfig.SettingNames poolNames; // null: the store's own
  private String memoryName = "the memory of the node";
  private String advice = "give the service a directory of its own";
  private String mediumSetting = "auto";
  private Medium medium; // null: not concluded yet
  private String transport = TransportChooser.AUTO;
  private VerbsNetwork verbsNetwork = VerbsNetwork.DEFAULT;
  private List<TransportProvider> transports; // null: chosen by the setting
  private InetAddress bindAddress = new InetSocketAddress(0).getAddress();
  private DataAddress dataAddress; // null: the same
  private Supplier<String> host; // null: unknown
  private PortPlan ports; // null: not concluded yet
  private int controlPort;
  private boolean needsAllPorts;
  private boolean recover;
  private BounceConfig bounce = new BounceConfig(BounceConfig.DEFAULT_SLOT_BYTES, 0);
  private ConnectionLimits limits = ConnectionLimits.DEFAULT;
  private Probes probes = Probes.NONE;
  private boolean lendsToSort;
  private ApplicationUsers users; // null: the service's own user alone
  private ServiceMemory memory;
  private RestartAdvice restartAdvice; // null: there is no better transport, or none is wanted
  private boolean concluded;

  private ServiceContext(ServiceDirectories directories, long tierBytes, long totalBytes) {
    this.directories = directories;
    this.tierBytes = tierBytes;
    this.totalBytes = totalBytes;
  }

  /** A service in directories that no other one uses, with a memory tier of so many bytes. */
  public static ServiceContext at(ServiceDirectories directories, long tierBytes) {
    return new ServiceContext(directories, tierBytes, 0);
  }

  /**
   * A service that takes so many bytes of its machine's memory in all. The memory tier gets what
   * bounce buffers and disks leave: see {@link ServiceMemory}.
   */
  public static ServiceContext within(ServiceDirectories directories, long totalBytes) {
    return new ServiceContext(directories, 0, totalBytes);
  }

  /** Whether the memory tier is allocated at the start; if not, as it is needed. */
  public ServiceContext wholeAtStart(boolean whole) {
    wholeAtStart = whole;
    return this;
  }

  /** Length of a segment. */
  public ServiceContext segments(int lengthBytes) {
    return segments(lengthBytes, StoreConfig.DEFAULT_BLOCK_BYTES);
  }

  /** Lengths of a segment and of a block, the unit of leases. */
  public ServiceContext segments(int lengthBytes, int blockLengthBytes) {
    segmentBytes = lengthBytes;
    blockBytes = blockLengthBytes;
    return this;
  }

  /** The directories of the disk tier, and its most bytes; 0 for no limit. By default none. */
  public ServiceContext overflow(List<Path> paths, long capacityBytes) {
    return overflow(paths, capacityBytes, StoreConfig.DEFAULT_DISK_RESERVE);
  }

  /** The same with another number of bytes to be left free on those file systems. */
  public ServiceContext overflow(List<Path> paths, long capacityBytes, long reserveBytes) {
    return overflow(paths, capacityBytes, DiskReserve.of(reserveBytes));
  }

  /** The same with another part of those file systems to be left free. */
  public ServiceContext overflow(List<Path> paths, long capacityBytes, DiskReserve reserve) {
    overflowDirectories = List.copyOf(paths);
    overflowBytes = capacityBytes;
    overflowReserve = reserve;
    return this;
  }

  /** Whether outputs in memory are copied to the disk tier when nobody waits for the disks. */
  public ServiceContext backgroundCopy(boolean copy) {
    backgroundCopy = copy;
    return this;
  }

  /** Names of the settings of the directory and of the pool, for messages. */
  public ServiceContext settingNames(String directory, StoreConfig.SettingNames pool) {
    advice = "remove it, or set " + directory;
    memoryName = pool.memoryCapacity();
    poolNames = pool;
    return this;
  }

  /** How the pool is written, a setting of {@link MediumChooser}. */
  public ServiceContext medium(String setting) {
    mediumSetting = setting;
    return this;
  }

  /** The transport that is preferred for readers, a setting of {@link TransportChooser}. */
  public ServiceContext transport(String setting) {
    transport = setting;
    return this;
  }

  /** How {@code verbs} uses the network, if that transport is chosen here. */
  public ServiceContext verbsNetwork(VerbsNetwork network) {
    verbsNetwork = network;
    return this;
  }

  /** The transports for readers, in the caller's order: these and no others. */
  public ServiceContext transports(List<TransportProvider> bestFirst) {
    transports = List.copyOf(bestFirst);
    return this;
  }

  /**
   * Listens at every address. The control protocol has this port, transport i {@code port + 1 + i},
   * and probes have those from {@code port + 4} on: a firewall can be told. 0, the default, takes
   * free ports.
   */
  public ServiceContext listen(int port) {
    controlPort = port;
    return this;
  }

  /** Listens at one address; ports as {@link #listen(int)}. */
  public ServiceContext listen(InetAddress address, int port) {
    bindAddress = address;
    return listen(port);
  }

  /**
   * Has the start fail if the port of one transport is taken ({@link PortPlan#isConflict} tells),
   * for callers that try other ports then. By default the service starts with the other transports.
   */
  public ServiceContext needsAllPorts() {
    needsAllPorts = true;
    return this;
  }

  /** Where the transports listen, if not where the control protocol does. */
  public ServiceContext dataAddress(DataAddress address) {
    dataAddress = address;
    return this;
  }

  /**
   * The name or address by which readers find this host. Where the transports listen at every
   * address, {@code auto} then serves over {@code verbs} only if that is an address of an RDMA
   * port.
   */
  public ServiceContext host(Supplier<String> nameForReaders) {
    host = nameForReaders;
    return this;
  }

  /**
   * Memory through which each transport serves segments that it cannot register. Whole MiB of it
   * are used; the default is none.
   */
  public ServiceContext bounceMemory(long bytes) {
    return bounceSlots(
        BounceConfig.DEFAULT_SLOT_BYTES, Math.toIntExact(bytes / BounceConfig.DEFAULT_SLOT_BYTES));
  }

  /** The same in slots of another length; one read takes one slot. */
  public ServiceContext bounceSlots(int slotBytes, int slots) {
    bounce = new BounceConfig(slotBytes, slots);
    return this;
  }

  /** Most tasks, most readers and, for each transport, most data connections. */
  public ServiceContext limits(ConnectionLimits connectionLimits) {
    limits = connectionLimits;
    return this;
  }

  /** The transports that readers may try before they authenticate. */
  public ServiceContext probes(Probes offered) {
    probes = offered;
    return this;
  }

  /** Serves tasks of other users too; the engine says which user an application belongs to. */
  public ServiceContext users(ApplicationUsers engine) {
    users = engine;
    return this;
  }

  /**
   * Whether sort buffers may borrow memory of the pool, if it is memory. Only where pages of it
   * that a task maps do not count against the task's container.
   */
  public ServiceContext lendToSort(boolean lends) {
    lendsToSort = lends;
    return this;
  }

  /** Whether to keep what an earlier service left in the pool. */
  public ServiceContext recover(boolean keep) {
    recover = keep;
    return this;
  }

  /**
   * Prepares the directories, chooses the medium and the transports, and says why in the log.
   * Called once, before all below.
   */
  void conclude() throws IOException {
    if (concluded) {
      throw new IllegalStateException("each start of a service needs a context of its own");
    }
    concluded = true;
    directories.prepare(advice, users == null ? ServedUsers.OWN : ServedUsers.ALL);
    if (users != null) {
      directories.warnOfOtherUsers();
    }
    MediumChooser.Choice chosen = MediumChooser.choose(mediumSetting, directories.pool());
    LOG.info("{}; {}", Release.of(ServiceContext.class), chosen.reason());
    medium = chosen.medium();
    List<InetAddress> data =
        dataAddress == null ? List.of(bindAddress) : dataAddress.resolve(bindAddress);
    ports = new PortPlan(bindAddress, data.get(0), data.subList(1, data.size()), controlPort);
    transports = transports == null ? chosenTransports() : transports;
    if (transports.stream().anyMatch(each -> each.name().equals(TransportNames.VERBS))) {
      transports = reached(transports, !transport.equals(TransportChooser.AUTO), missed());
    }
    memory = memory(bouncingTransports() * bounce.totalBytes());
    limits = fitting(limits, transports.size(), OpenFilesLimit.all());
    lendsToSort = lendsToSort && MediumChooser.isMemory(medium, directories.pool());
  }

  /** The limits, or lower ones if this process may not have as many files open as they need. */
  static ConnectionLimits fitting(ConnectionLimits limits, int transports, long openFiles) {
    ConnectionLimits fitting = limits.within(openFiles, transports);
    if (fitting.maxConnections() < limits.maxConnections()) {
      LOG.warn(
          "Serving up to {} connections of each kind, not the {} that are set, because this process"
              + " may have {} files open; raise that to {} (ulimit -n, or LimitNOFILE= in a systemd"
              + " unit)",
          fitting.maxConnections(),
          limits.maxConnections(),
          openFiles,
          limits.filesNeeded(transports));
    }
    return fitting;
  }

  private List<TransportProvider> chosenTransports() throws TransportException {
    TransportChooser chooser = TransportChooser.standard(verbsNetwork);
    if (users != null && transport.equals(TransportChooser.AUTO)) {
      chooser = chooser.confined(); // a job's own reader must not get at another user's bytes
    }
    TransportChooser.Choice choice = chooser.choose(transport);
    if (!choice.isNamed() && !choice.provider().name().equals(TransportNames.VERBS)) {
      restartAdvice =
          new RestartAdvice(
              choice.provider().name(), () -> new VerbsProvider(verbsNetwork), this::missed);
    }
    if (restartAdvice != null && hasRdmaDevice()) {
      LOG.warn(
          "{}. This host has an RDMA device: when it works, restart this service, which chooses when"
              + " it starts",
          choice.reason());
    } else {
      LOG.info("{}", choice.reason());
    }
    if (users != null && !choice.provider().isConfined()) {
      LOG.warn(
          "The configured transport {} confines no reader: a user with the secret of any job can"
              + " read and write the memory of this service, records of other users included",
          choice.provider().name());
    }
    return chooser.serving(choice);
  }

  private static boolean hasRdmaDevice() {
    try {
      return new RdmaDevices().areThere();
    } catch (UncheckedIOException e) {
      return true; // the reason in the log says what of it cannot be read
    }
  }

  /** Why readers do not reach the RDMA ports; empty if they do, or if nobody can tell. */
  private Optional<Missed> missed() {
    if (host == null || !ports.dataAddress().isAnyLocalAddress()) {
      return Optional.empty(); // the transport finds out when it listens at that address
    }
    try {
      return RdmaAddresses.ofThisHost().missedBy(host, dataAddress.setting());
    } catch (IOException | RuntimeException e) {
      LOG.warn("It is unknown whether readers reach the RDMA ports: {}", ErrorText.of(e));
      return Optional.empty();
    }
  }

  /**
   * The transports over which readers come: all, or {@code tcp} alone where {@code verbs} would pin
   * the pool and each reader would try it in vain. Readers may resolve the name otherwise than this
   * host, so a transport that a setting names is kept.
   *
   * @param isNamed whether a setting names it
   */
  static List<TransportProvider> reached(
      List<TransportProvider> chosen, boolean isNamed, Optional<Missed> missed) {
    if (missed.isEmpty()) {
      return chosen;
    }
    String why = missed.get().cause() + "; " + missed.get().fix();
    if (isNamed) {
      LOG.warn("Readers may have to use tcp although verbs is configured: {}", why);
      return chosen;
    }
    LOG.warn("Not serving over verbs: {}", why);
    return chosen.stream().filter(each -> each.name().equals(TransportNames.TCP)).toList();
  }

  private long bouncingTransports() {
    return transports.stream().filter(each -> !each.name().equals(TransportNames.TCP)).count();
  }

  /** Divides the memory, and says how. */
  private ServiceMemory memory(long bounceBytes) throws IOException {
    long diskBytes = (long) overflowDirectories.size() * Device.MEMORY_BYTES;
    if (totalBytes == 0) {
      return new ServiceMemory(tierBytes / segmentBytes * segmentBytes, bounceBytes, diskBytes);
    }
    ServiceMemory fitted =
        ServiceMemory.within(memoryName, totalBytes, bounceBytes, diskBytes, segmentBytes);
    fitted.check(memoryName, MachineMemory.of(directories.pool()));
    LOG.info(
        "{} of {} MiB: {} MiB are the memory tier, {} MiB for bounce buffers, {} MiB for disks",
        memoryName,
        totalBytes >> 20,
        fitted.tierBytes() >> 20,
        bounceBytes >> 20,
        diskBytes >> 20);
    tierBytes = fitted.tierBytes();
    return fitted;
  }

  /** The configuration of the store but for what is told of its segments and its memory. */
  StoreConfig.Builder store(FormerService former) {
    StoreConfig.Builder store =
        StoreConfig.builder(directories.pool(), tierBytes)
            .use(directories.use())
            .wholeAtStart(wholeAtStart)
            .geometry(former.segmentBytes(), blockBytes)
            .disk(overflowDirectories, overflowBytes, overflowReserve)
            .backgroundCopy(backgroundCopy)
            .medium(medium)
            .applicationOwners(former::ownerOf);
    if (poolNames != null) {
      store.settingNames(poolNames);
    }
    if (users != null) {
      store.shared();
    }
    return former.hasOutputs() ? store.recover(former.applications()) : store;
  }

  /** The size of the memory tier, of which the store uses whole segments. */
  long tierBytes() {
    return tierBytes;
  }

  int segmentBytes() {
    return segmentBytes;
  }

  ServiceDirectories directories() {
    return directories;
  }

  /**
   * Where the service keeps on disk what it knows of applications, beside the first directory of
   * the disk tier, which holds files of the pool alone; empty for nowhere.
   */
  Optional<Path> registryBackup() {
    return backgroundCopy
        ? overflowDirectories.stream()
            .findFirst()
            .map(first -> first.resolveSibling(first.getFileName() + "-applications"))
        : Optional.empty();
  }

  PortPlan ports() {
    return ports;
  }

  /** Whether a transport whose port is taken ends the start. */
  boolean endsOnPortConflict() {
    return needsAllPorts && controlPort != 0;
  }

  /** What to say when a better transport works later. */
  Optional<RestartAdvice> restartAdvice() {
    return Optional.ofNullable(restartAdvice);
  }

  /** The transports that work here, preferred first. */
  List<TransportProvider> transports() {
    return transports;
  }

  /** Those that readers may try before they have authenticated. */
  List<TransportProvider> probed() {
    return transports.stream()
        .filter(
            provider ->
                probes == Probes.ALL || (probes == Probes.CONFINED && provider.isConfined()))
        .toList();
  }

  boolean recovers() {
    return recover;
  }

  /** The memory of its machine that the service takes. */
  ServiceMemory memory() {
    return memory;
  }

  BounceConfig bounce() {
    return bounce;
  }

  ConnectionLimits limits() {
    return limits;
  }

  boolean lendsToSort() {
    return lendsToSort;
  }

  /** Tells users; null if the service serves its own user alone. */
  ApplicationUsers users() {
    return users;
  }

  /** The transports that peers may try without authentication. */
  public enum Probes {
    /** None: one of many services on a host, which is never probed. */
    NONE,

    /** The public pattern, over transports that give away nothing else. */
    CONFINED,

    /** The public pattern over every transport: for a process that holds nothing worth reading. */
    ALL
  }
}
