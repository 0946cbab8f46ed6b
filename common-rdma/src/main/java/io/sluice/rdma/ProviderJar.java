package io.sluice.rdma;

import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.util.Optional;

/**
 * A jar that may lie beside Sluice's and brings one more transport. Its provider is looked up by
 * the name of its class and not as a service: so the order of preference stays ours, no other jar
 * of a class path adds a transport to a NodeManager, and that it is missing can be said.
 *
 * <p>Thread contract: immutable.
 *
 * @param transport the transport's name
 * @param jar the jar's name without its version
 * @param provider the class's name
 */
record ProviderJar(String transport, String jar, String provider) {
  static final ProviderJar DISNI =
      new ProviderJar(
          TransportNames.DISNI, "sluice-disni", "io.sluice.rdma.transport.disni.DisniProvider");

  /** Its provider, or one that says why there is none. */
  TransportProvider load() {
    ClassLoader ours = ProviderJar.class.getClassLoader();
    try {
      Class<? extends TransportProvider> found =
          Class.forName(provider, true, ours).asSubclass(TransportProvider.class);
      Optional<String> mismatch =
          mismatch(
              ProviderJar.class.getPackage().getImplementationVersion(),
              found.getPackage().getImplementationVersion());
      return mismatch.isPresent()
          ? new MissingProvider(transport, mismatch.get())
          : found.getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      return new MissingProvider(
          transport,
          "%s-<version>.jar is not on the class path that has Sluice's jar; see docs/%s.md"
              .formatted(jar, transport));
    } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
      // A cast fails where another class loader has both jars: its provider is of its interface.
      return new MissingProvider(
          transport,
          "%s cannot be used (%s); it must be of Sluice's own release, on the class path that has"
                  .formatted(jar, e)
              + " Sluice's jar");
    }
  }

  /** Why they do not belong together; what is not in a jar has no version, and fits all. */
  Optional<String> mismatch(String ours, String its) {
    return ours == null || its == null || ours.equals(its)
        ? Optional.empty()
        : Optional.of("%s is %s beside Sluice %s; take that of the same".formatted(jar, its, ours));
  }
}
