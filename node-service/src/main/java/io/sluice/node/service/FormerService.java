package io.sluice.node.service;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applications and outputs of the service before, as the next one finds them at its start.
 *
 * @param applications that it knew; tasks of these may have outlived it and still write to their
 *     leases
 * @param owners of these applications
 * @param hasOutputs whether the pool is recovered; if not, it begins empty
 * @param segmentBytes length of the segments that the pool goes on with
 */
record FormerService(
    Set<String> applications, Map<String, Owner> owners, boolean hasOutputs, int segmentBytes) {
  private static final Logger LOG = LoggerFactory.getLogger(FormerService.class);

  /** A service whose outputs are not kept. */
  static FormerService forgotten(Path applications, int segmentBytes) throws IOException {
    return new FormerService(
        ApplicationRegistry.known(applications), Map.of(), false, segmentBytes);
  }

  /**
   * A service whose outputs are kept.
   *
   * @param applications the directory of the registry
   * @param segmentBytes that are configured; the segments in the pool keep theirs
   */
  static FormerService recovered(Path applications, Path pool, int segmentBytes)
      throws IOException {
    FormerService former =
        new FormerService(
            ApplicationRegistry.known(applications),
            ApplicationRegistry.owners(applications),
            true,
            segmentBytes);
    OptionalInt found = SpillStore.segmentBytesAt(pool);
    return found.isEmpty() || found.getAsInt() == segmentBytes
        ? former
        : former.withSegments(found.getAsInt(), pool);
  }

  /** Outputs lie in segments of another length. Without an application nobody reads them. */
  private FormerService withSegments(int foundBytes, Path pool) {
    if (applications.isEmpty()) {
      LOG.info(
          "The pool at {} begins empty with segments of {} bytes instead of {}: no application"
              + " runs that could have outputs in it",
          pool,
          segmentBytes,
          foundBytes);
      return new FormerService(applications, owners, false, segmentBytes);
    }
    LOG.warn(
        "The pool at {} keeps segments of {} bytes instead of {}: it has outputs of running"
            + " applications. It takes the new length at a start while no application runs, or at"
            + " one without recovery",
        pool,
        foundBytes,
        segmentBytes);
    return new FormerService(applications, owners, true, foundBytes);
  }

  /** The user of an application, if that is known. */
  Optional<Owner> ownerOf(String applicationId) {
    return Optional.ofNullable(owners.get(applicationId));
  }
}
