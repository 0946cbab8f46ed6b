/**
 * Encryption of runs above the pool: the classes that store, move or send a run see bytes as ever
 * and need no key.
 *
 * <p>Start at {@link io.sluice.spill.cipher.RunLayout}.
 */
package io.sluice.spill.cipher;
