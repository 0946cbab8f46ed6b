package io.sluice.rdma.transport.support;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.RegistrationException;
import java.io.IOException;
import java.util.Optional;

/** Asks before memory is registered with a NIC: see {@link LockedMemoryLimit} for why before. */
public final class Pinning {
  private Pinning() {}

  /**
   * Returns if so much more may be pinned.
   *
   * @throws RegistrationException if not; it names the limit and the knob
   */
  public static void check(String provider, long lengthBytes) throws RegistrationException {
    Optional<String> refusal;
    try {
      refusal = new LockedMemoryLimit().refusal(lengthBytes);
    } catch (IOException e) {
      throw new RegistrationException(
          provider + ": cannot find out how much memory may be pinned", e);
    }
    if (refusal.isPresent()) {
      throw new RegistrationException(provider + ": " + refusal.get());
    }
  }
}
