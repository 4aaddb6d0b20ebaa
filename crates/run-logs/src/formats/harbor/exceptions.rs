use censoring::StopReason;

/// The meaning of an exception for a trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) stop: StopReason,
    /// Whether the agent itself ended the trial, so that its reward is a valid measurement.
    pub(crate) reward_is_valid: bool,
    /// Whether a budget of the agent was used up.
    pub(crate) is_limit: bool,
}

/// Exceptions that show a failure of a sandbox, of a model provider or of Harbor itself.
const OF_ENVIRONMENT: &str = "
    EnvironmentStartTimeoutError SandboxBuildFailedError AgentSetupTimeoutError HealthcheckError
    SandboxLikelyOutOfMemoryError MemoryLimitExceededError SSHAccessError GKEExecStreamClosedError
    GKEPodNotFoundError RuntimeRequestError AddTestsDirError DownloadVerifierDirError ApiError
    ApiRateLimitError ApiInternalServerError ApiOverloadedError ApiConnectionClosedError
    ApiResponseStalledError UnknownApiError NetworkConnectionError ApiConnectionError
    ApiUsageLimitError RateLimitError InternalServerError ServiceUnavailableError APIConnectionError
    APIError Timeout BadRequestError UnprocessableEntityError UnsupportedParamsError
    APIResponseValidationError BudgetExceededError AgentAuthenticationError ModelNotFoundError
    ApiProviderResourceNotFoundError AuthenticationError PermissionDeniedError NotFoundError
    ServiceOperationsUnsupportedError VercelScopeError DspyImportError MissingExtraError
    RegradeError";

/// Returns what Harbor 0.25.0 says about an exception by the name of its type, in the table
/// `harbor/models/trial/error_policy.py`. A name that is not in the table leaves no valid reward.
pub(crate) fn failure(name: &str) -> Failure {
    let (stop, reward_is_valid, is_limit) = match name {
        // The agent used up its budget.
        "AgentTimeoutError" => (StopReason::MaxTime, true, true),
        "ContextWindowExceededError"
        | "ContextLengthExceededError"
        | "OutputTokenExceededError"
        | "OutputLengthExceededError" => (StopReason::MaxTokens, true, true),
        // The agent refused the task, which is its own act.
        "AgentSafetyRefusalError" | "ContentPolicyViolationError" => {
            (StopReason::Completed, true, false)
        }
        // The verifier failed, so that nothing was judged.
        "VerifierTimeoutError"
        | "RewardFileNotFoundError"
        | "RewardFileEmptyError"
        | "VerifierOutputParseError" => (StopReason::Unjudged, false, false),
        "CancelledError" => (StopReason::UserStop, false, false),
        name if OF_ENVIRONMENT.split_whitespace().any(|known| known == name) => {
            (StopReason::EnvironmentEnd, false, false)
        }
        other => (StopReason::from(other.to_owned()), false, false),
    };
    Failure { stop, reward_is_valid, is_limit }
}
