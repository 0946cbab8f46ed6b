package io.sluice.rdma;

import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Turns the transport setting into a provider, and says which and why.
 *
 * <p>Thread contract: safe from any thread. Failure: a provider that is asked for by name and does
 * not work here is an error; only {@code auto} takes another.
 */
public final class TransportChooser {
  /** The setting that takes the best provider that works. */
  public static final String AUTO = "auto";

  private final List<TransportProvider> bestFirst;

  /**
   * @param bestFirst the providers there are, with different names, in order of preference
   */
  public TransportChooser(List<TransportProvider> bestFirst) {
    this.bestFirst = List.copyOf(bestFirst);
  }

  /** RDMA where it works, TCP elsewhere. */
  public static TransportChooser standard() {
    return new TransportChooser(
        List.of(new UcxProvider(), ProviderJar.DISNI.load(), new TcpProvider()));
  }

  /**
   * What was chosen.
   *
   * @param provider the provider
   * @param isNamed whether it was asked for by its name
   * @param reason one sentence for the log: which, and why
   * @param unavailable for each provider that does not work here, by name, the cause
   */
  public record Choice(
      TransportProvider provider,
      boolean isNamed,
      String reason,
      Map<String, String> unavailable) {}

  /**
   * Chooses by {@code auto} or by a provider's name.
   *
   * @throws TransportException if there is no such provider or it does not work here
   */
  public Choice choose(String setting) throws TransportException {
    return setting.equals(AUTO) ? chooseBest() : chooseNamed(setting);
  }

  /** Every provider there is, best first, whether it works here or not. */
  public List<TransportProvider> providers() {
    return bestFirst;
  }

  /** The same without those whose peers can do more than read; see {@link TransportProvider}. */
  public TransportChooser confined() {
    return new TransportChooser(bestFirst.stream().filter(TransportProvider::isConfined).toList());
  }

  /**
   * The chosen provider, then those that take over from it: every one of lower rank that works
   * here, or, if it was asked for by its name, {@code tcp} alone. So naming one keeps memory from
   * being registered with another, and what the named one cannot serve is served all the same.
   */
  public List<TransportProvider> withFallbacks(Choice choice) {
    List<TransportProvider> result = new ArrayList<>();
    for (TransportProvider provider : bestFirst) {
      if (provider == choice.provider()
          || (!result.isEmpty() && mayFollow(provider, choice) && provider.isAvailable())) {
        result.add(provider);
      }
    }
    return result;
  }

  private static boolean mayFollow(TransportProvider provider, Choice choice) {
    return !choice.isNamed() || provider.name().equals(TransportNames.TCP);
  }

  private Choice chooseBest() throws TransportException {
    Map<String, String> unavailable = new LinkedHashMap<>();
    for (TransportProvider provider : bestFirst) {
      Optional<String> cause = provider.unavailabilityCause();
      if (cause.isEmpty()) {
        String reason =
            unavailable.isEmpty()
                ? "transport " + provider.name() + ": the best there is, and it works here"
                : "transport " + provider.name() + ": " + sentence(unavailable);
        return new Choice(provider, false, reason, unavailable);
      }
      unavailable.put(provider.name(), cause.get());
    }
    throw new TransportException("no transport works here: " + sentence(unavailable));
  }

  private Choice chooseNamed(String name) throws TransportException {
    for (TransportProvider provider : bestFirst) {
      if (provider.name().equals(name)) {
        Optional<String> cause = provider.unavailabilityCause();
        if (cause.isPresent()) {
          throw new TransportException(
              "transport "
                  + name
                  + " was asked for and does not work here: "
                  + cause.get()
                  + "; put that right, or set the transport to "
                  + AUTO);
        }
        return new Choice(provider, true, "transport " + name + ": as configured", Map.of());
      }
    }
    String known =
        bestFirst.stream().map(TransportProvider::name).collect(Collectors.joining(", "));
    throw new TransportException(
        "unknown transport \"" + name + "\"; expected " + AUTO + " or one of: " + known);
  }

  private static String sentence(Map<String, String> unavailable) {
    return unavailable.entrySet().stream()
        .map(entry -> entry.getKey() + " is not available (" + entry.getValue() + ")")
        .collect(Collectors.joining("; "));
  }

  /**
   * Stands for a transport whose jar is not there, so that its name stays known and whoever asks
   * for it is told what is missing.
   *
   * <p>Thread contract: immutable.
   *
   * @param name of the transport
   * @param cause what is missing, and what to do about it
   */
  public record MissingProvider(String name, String cause) implements TransportProvider {
    @Override
    public Optional<String> unavailabilityCause() {
      return Optional.of(cause);
    }

    @Override
    public boolean isConfined() {
      return true; // nothing can be read through it
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      throw unavailable();
    }

    @Override
    public ClientEndpoint openClient() throws TransportException {
      throw unavailable();
    }

    private TransportException unavailable() {
      return new TransportException(name + " is not available: " + cause);
    }
  }

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
          : Optional.of(
              "%s is %s beside Sluice %s; take that of the same".formatted(jar, its, ours));
    }
  }
}
