/** One job from its submission to its end. */
package io.sluice.local.job;
