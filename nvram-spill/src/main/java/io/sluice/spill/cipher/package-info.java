/**
 * Runs encrypted above the pool: whoever stores, moves or carries them sees bytes as before and
 * needs no key.
 *
 * <p>Start at {@link io.sluice.spill.cipher.RunLayout}.
 */
package io.sluice.spill.cipher;
