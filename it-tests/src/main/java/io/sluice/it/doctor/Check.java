package io.sluice.it.doctor;

/** One thing to look at. Must not throw: what cannot be found out is a finding too. */
@FunctionalInterface
public interface Check {
  Finding look();
}
