package io.sluice.spill.ledger;

/** Memory of one application. Thread contract: its ledger's. */
final class Account {
  final String application;
  long sendBytes;
  long taskBytes; // of all its holders
  long movingBytes; // of what it sends, ordered to be moved and not moved yet
  long unmovableBytes; // of what it sends, for now
  long unmovableUntilMs;
  int holders;
  boolean ended;
  long expectedUntilMs = Long.MIN_VALUE; // that its first task comes
  boolean isExpected;

  Account(String application) {
    this.application = application;
  }

  long heldBytes() {
    return sendBytes + taskBytes;
  }

  /** Bytes of outputs that could be moved now and are not ordered to be. */
  long movableBytes() {
    return Math.max(0, sendBytes - movingBytes - unmovableBytes);
  }

  boolean isEmpty() {
    return !isExpected && holders == 0 && heldBytes() == 0 && movingBytes == 0;
  }
}
