package io.sluice.hadoop.node;

import io.sluice.node.service.ApplicationUsers;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.unix.UserNames;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The operating system's user of an application's containers. YARN tells its auxiliary services the
 * YARN user of each container; the container executor's class and settings say whose process that
 * is.
 *
 * <pre>
 *   executor                     security    limit-users    process
 *   DefaultContainerExecutor     any         any            the NodeManager's user
 *   LinuxContainerExecutor       on          any            YARN's user
 *   LinuxContainerExecutor       off         true           nonsecure-mode.local-user, for all
 *   LinuxContainerExecutor       off         false          YARN's user
 *   any other                    any         any            unknown
 * </pre>
 *
 * <p>Names are looked up when a task connects, not when YARN names them: a directory service may
 * hang, and the NodeManager's dispatcher must not. Answers are kept for five minutes, failures for
 * half a minute.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link IOException} if a name cannot be looked
 * up, or this host has no such user.
 */
final class ContainerUsers implements ApplicationUsers {
  private static final String EXECUTORS = "org.apache.hadoop.yarn.server.nodemanager.";
  private static final String AS_NODE_MANAGER = EXECUTORS + "DefaultContainerExecutor";
  private static final String AS_USER = EXECUTORS + "LinuxContainerExecutor";
  private static final long KEPT_NS = TimeUnit.MINUTES.toNanos(5);
  private static final long FAILURE_KEPT_NS = TimeUnit.SECONDS.toNanos(30);

  /** The host's users by name. */
  @FunctionalInterface
  interface Lookup {
    OptionalInt uidOf(String name) throws IOException;
  }

  /** The user that was found, or the message of the failure. */
  private record Answer(Owner owner, String failure, long atNs) {
    boolean isOld(long nowNs) {
      return nowNs - atNs >= (owner == null ? FAILURE_KEPT_NS : KEPT_NS);
    }
  }

  private final String executor;
  private final Optional<String> oneForAll;
  private final Owner own;

  /** The ids that further attempts of a Spark application use. */
  private static final Pattern FURTHER_ATTEMPT = Pattern.compile("(application_\\d+_\\d+)_\\d+");

  private final Lookup lookup;
  private final LongSupplier clockNs;
  private final Map<String, String> users = new ConcurrentHashMap<>();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  /** The users that a NodeManager's configuration names. */
  static ContainerUsers of(Configuration conf) throws IOException {
    return new ContainerUsers(conf, Owner.ofThisProcess(), UserNames::uidOf, System::nanoTime);
  }

  ContainerUsers(Configuration conf, Owner own, Lookup lookup, LongSupplier clockNs) {
    this.executor = conf.getTrimmed(YarnConfiguration.NM_CONTAINER_EXECUTOR, AS_NODE_MANAGER);
    this.oneForAll =
        isSecure(conf) || !limitsUsers(conf)
            ? Optional.empty()
            : Optional.of(
                conf.getTrimmed(
                    YarnConfiguration.NM_NONSECURE_MODE_LOCAL_USER_KEY,
                    YarnConfiguration.DEFAULT_NM_NONSECURE_MODE_LOCAL_USER));
    this.own = own;
    this.lookup = lookup;
    this.clockNs = clockNs;
  }

  private static boolean isSecure(Configuration conf) {
    return SecurityUtil.getAuthenticationMethod(conf) != AuthenticationMethod.SIMPLE;
  }

  private static boolean limitsUsers(Configuration conf) {
    return conf.getBoolean(
        YarnConfiguration.NM_NONSECURE_MODE_LIMIT_USERS,
        YarnConfiguration.DEFAULT_NM_NONSECURE_MODE_LIMIT_USERS);
  }

  /** Whether containers may run as another user than the NodeManager. */
  boolean mayBeOthers() {
    return !executor.equals(AS_NODE_MANAGER);
  }

  /** YARN starts a container of an application for this user, or has recovered one. */
  void containerStarted(String applicationId, String user) {
    users.put(applicationId, user);
  }

  /** The application has ended. */
  void applicationStopped(String applicationId) {
    users.remove(applicationId);
  }

  /** The id in YARN of an application, whose further attempts may use another one. */
  private static String ofAllAttempts(String applicationId) {
    Matcher attempt = FURTHER_ATTEMPT.matcher(applicationId);
    return attempt.matches() ? attempt.group(1) : applicationId;
  }

  @Override
  public boolean isHere(String applicationId) {
    return users.containsKey(ofAllAttempts(applicationId));
  }

  @Override
  public Optional<Owner> expected(String applicationId) throws IOException {
    switch (executor) {
      case AS_NODE_MANAGER:
        return Optional.of(own);
      case AS_USER:
        String user = users.get(ofAllAttempts(applicationId));
        if (user == null) {
          throw new IOException("nothing of " + applicationId + " was started here");
        }
        return Optional.of(ownerOf(oneForAll.orElse(user)));
      default:
        return Optional.empty();
    }
  }

  @Override
  public boolean hasProcessesOf(Owner user) throws IOException {
    if (executor.equals(AS_NODE_MANAGER)) {
      return user.equals(own);
    }
    if (!executor.equals(AS_USER)) {
      return false;
    }
    IOException unknown = null;
    for (String name : Set.copyOf(users.values())) {
      try {
        if (ownerOf(oneForAll.orElse(name)).equals(user)) {
          return true;
        }
      } catch (IOException e) {
        unknown = e; // another name may be the user's
      }
    }
    if (unknown != null) {
      throw unknown;
    }
    return false;
  }

  private Owner ownerOf(String name) throws IOException {
    Answer answer = answers.get(name);
    if (answer == null || answer.isOld(clockNs.getAsLong())) {
      answer = ask(name);
      answers.put(name, answer);
    }
    if (answer.owner() == null) {
      throw new IOException(answer.failure());
    }
    return answer.owner();
  }

  private Answer ask(String name) {
    try {
      OptionalInt uid = lookup.uidOf(name);
      return uid.isPresent()
          ? new Answer(new Owner(uid.getAsInt()), "", clockNs.getAsLong())
          : new Answer(null, "this host has no user " + name, clockNs.getAsLong());
    } catch (IOException e) {
      return new Answer(null, ErrorText.of(e), clockNs.getAsLong());
    }
  }
}
