package io.sluice.node.service;

import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.util.Optional;

/**
 * Asks an engine about the users whose processes work for an application on this node.
 *
 * <p>Thread contract: safe from any thread.
 */
public interface ApplicationUsers {
  /** Whether the engine has started anything of the application here. */
  boolean isHere(String applicationId);

  /**
   * The user that runs the processes of an application that is here; empty if the engine cannot
   * tell.
   *
   * @throws IOException if it cannot tell now; it may take as long as asking a directory of users
   */
  Optional<Owner> expected(String applicationId) throws IOException;

  /**
   * Whether the engine has started anything here whose processes run as that user; no if it cannot
   * tell.
   *
   * @throws IOException as {@link #expected}
   */
  default boolean hasProcessesOf(Owner user) throws IOException {
    return false;
  }
}
