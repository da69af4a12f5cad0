from clerestory.clients.advisor import Advisor, Analysis
from clerestory.clients.aio import AsyncAdvisor, AsyncAnalysis
from clerestory.clients.batch import BatchAnswer
from clerestory.clients.connection import Tls
from clerestory.clients.errors import (
    AdvisorError,
    BadConnection,
    BadRequest,
    Busy,
    Denied,
    FieldViolation,
    NotNow,
    OutOfTime,
    Unavailable,
    Unsupported,
)
from clerestory.clients.hosted import AsyncHostedGame, AsyncHostedGames, HostedGame, HostedGames
from clerestory.clients.hosted_wire import GameEntry, GameSeat, GameSnapshot, SentPhrase, TakeBackRequest
from clerestory.clients.plans import Change, ConversionPlan, PossibleUse
from clerestory.clients.referee import AppliedAction, AsyncReferee, AsyncRules, LegalAction, Outcome, Referee, Rules
from clerestory.clients.review_wire import GameReview, ReviewedPly, ReviewProgress, SeatReview
from clerestory.clients.teaching import (
    AsyncLessonBook,
    AsyncPuzzleBook,
    LessonBook,
    LessonProgress,
    PosedPuzzle,
    PuzzleBook,
    PuzzleVerdict,
)
from clerestory.clients.types import ONLOOKER, Action, AnswerWarning, Line, Rate, Recommendation, Update
from clerestory.clients.wire import Limits
from clerestory.figures import Outlook, Rollouts

__all__ = [
    "ONLOOKER",
    "Action",
    "Advisor",
    "AdvisorError",
    "Analysis",
    "AnswerWarning",
    "AppliedAction",
    "AsyncAdvisor",
    "AsyncAnalysis",
    "AsyncHostedGame",
    "AsyncHostedGames",
    "AsyncLessonBook",
    "AsyncPuzzleBook",
    "AsyncReferee",
    "AsyncRules",
    "BadConnection",
    "BadRequest",
    "BatchAnswer",
    "Busy",
    "Change",
    "ConversionPlan",
    "Denied",
    "FieldViolation",
    "GameEntry",
    "GameReview",
    "GameSeat",
    "GameSnapshot",
    "HostedGame",
    "HostedGames",
    "LegalAction",
    "LessonBook",
    "LessonProgress",
    "Limits",
    "Line",
    "NotNow",
    "OutOfTime",
    "Outcome",
    "Outlook",
    "PosedPuzzle",
    "PossibleUse",
    "PuzzleBook",
    "PuzzleVerdict",
    "Rate",
    "Recommendation",
    "Referee",
    "ReviewProgress",
    "ReviewedPly",
    "Rollouts",
    "Rules",
    "SeatReview",
    "SentPhrase",
    "TakeBackRequest",
    "Tls",
    "Unavailable",
    "Unsupported",
    "Update",
]
