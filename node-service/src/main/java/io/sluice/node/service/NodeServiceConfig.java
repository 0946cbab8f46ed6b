package io.sluice.node.service;

import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.store.StoreConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How a node service is started; {@link ServiceBuilder} fills it.
 *
 * @param directory where it keeps its socket and what it knows of applications; private already
 * @param applicationCopies where it keeps on disk what it knows of applications; null for nowhere
 * @param store its pool; the segment listener in it is replaced by the service's own
 * @param bindAddress where the control protocol listens
 * @param dataAddress where transports listen, for probes too
 * @param controlPort port of the control protocol; transport i of {@code transports} listens at
 *     {@code controlPort + 1 + i}, so that a firewall can be told, and for probes {@link
 *     #MAX_TRANSPORTS} further on. 0 takes free ones
 * @param needsAllPorts whether a transport whose port is taken ends the start: the caller has other
 *     ports to try; else the others serve
 * @param transports the transports that work here, preferred first
 * @param recover whether to keep what an earlier service left in the pool
 * @param memory what all of that takes
 * @param bounce memory for segments that a transport cannot register
 * @param limits how many tasks, how many readers and, for each transport, how many data connections
 * @param probes what strangers may try
 * @param lendsToSort whether sort buffers may borrow memory of the pool
 * @param users what the engine knows of users whose tasks are served; null if the service serves
 *     its own user alone
 */
record NodeServiceConfig(
    Path directory,
    Path applicationCopies,
    StoreConfig.Builder store,
    InetAddress bindAddress,
    InetAddress dataAddress,
    int controlPort,
    boolean needsAllPorts,
    List<TransportProvider> transports,
    boolean recover,
    ServiceMemory memory,
    BounceConfig bounce,
    ConnectionLimits limits,
    Probes probes,
    boolean lendsToSort,
    ApplicationUsers users) {
  /** How many transports there can be: behind their ports come those for probes. */
  static final int MAX_TRANSPORTS = 3;

  /** Where the first transport that strangers may try listens; 0 for a free port. */
  int probePort() {
    return controlPort == 0 ? 0 : controlPort + 1 + MAX_TRANSPORTS;
  }
}
